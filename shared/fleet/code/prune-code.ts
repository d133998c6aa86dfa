import { PREFIXES } from '../../config/deployment.ts';
import { listPages } from '../../store/list-pages.ts';
import type { BlobEntry, BlobStore } from '../../store/ports/blob-store.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { unobserved, type WorkObserver } from '../../util/work-observer.ts';
import { packBlob } from '../snapshots/pack-file.ts';
import { blobsOfSnapshot, getLeavingBlobKey } from '../snapshots/snapshot-blobs.ts';
import { loadManifest } from '../snapshots/snapshot-manifest.ts';
import { contentBlob } from '../snapshots/stored-content.ts';
import { withPruneLock } from './code-lock.ts';
import { pruneFacts } from './prune-facts.ts';
import { type CatalogScan, scanCatalogs } from './scan-catalogs.ts';
import { listUploadedCode } from './uploaded-code.ts';

type PruneCodePorts = Pick<Stores, 'nodes' | 'environments' | 'documents' | 'blobs' | 'clock' | 'processes'>;

export interface PruneCodeOptions {
  /** Number of earlier states of an environment kept for rollbacks. */
  readonly historyKept: number;
  /** Retention of unused code: agents may still have a catalog that names it. */
  readonly keptMs: number;
  /** Reports the effects without making them. */
  readonly dryRun: boolean;
  readonly observe?: WorkObserver;
}

export interface PrunedCode {
  /** Code ids of the deleted snapshots. */
  readonly snapshots: readonly string[];
  /** Code ids of unused snapshots whose retention has not ended. */
  readonly leaving: readonly string[];
  /** Number of deleted files, and their bytes. Packs, which repeat files, do not count. */
  readonly files: number;
  readonly bytes: number;
  /** Number of deleted catalogs; each call looks at one quarter of all. */
  readonly catalogs: number;
  /** Number of deleted facts: those of earlier check-ins. */
  readonly facts: number;
}

/** A compile that started before a snapshot became unused has ended by then. */
const SHORTEST_MS = 3600_000;
const AT_ONCE = 16;
const CATALOGS = 'catalogs/';
/** Retention of catalogs that no node has: a node may come back to one. */
const CATALOGS_KEPT_MS = 7 * DAY_MS;

/**
 * Deletes deployed code that nothing needs. Kept are: code in force, the history for rollbacks,
 * staged code, the code of nodes' catalogs, and code in force or written within the last day. Other
 * code is kept for another `keptMs`. Content is deleted with the last snapshot that names it. Null,
 * without effect, while another process deploys or prunes code. The next call continues what a
 * deploy interrupts.
 */
export async function pruneCode(ports: PruneCodePorts, options: PruneCodeOptions): Promise<PrunedCode | null> {
  if (options.dryRun) return run(ports, options, () => false);
  return withPruneLock(ports, (isOver) => run(ports, options, isOver));
}

async function run(
  ports: PruneCodePorts,
  options: PruneCodeOptions,
  isOver: () => boolean,
): Promise<PrunedCode | null> {
  const { blobs } = ports;
  const { observe = unobserved } = options;
  observe('reading what nodes need');
  const scan = await scanCatalogs(ports, options.dryRun, isOver);
  if (!scan) return null;
  const needed = await listNeededCode(ports, options.historyKept, scan.codeIds);
  const { overdue, leaving, kept } = await sortSnapshots(ports, needed, options);
  const deleted: string[] = [];
  for (const codeId of overdue) {
    if (isOver()) break;
    if (!options.dryRun) await deleteSnapshot(blobs, codeId);
    deleted.push(codeId);
    observe('deleting code', deleted.length, overdue.length);
  }
  if (!options.dryRun) await forgetHistory(ports, new Set(deleted));
  const remaining = [...kept, ...leaving, ...overdue.slice(deleted.length)];
  observe('looking for files that nothing needs');
  const content = await pruneContent(ports, remaining, options.dryRun, isOver);
  return {
    snapshots: deleted,
    leaving,
    ...content,
    catalogs: await pruneCatalogs(ports, scan, options, isOver),
    facts: await pruneFacts(ports, scan, options.dryRun, isOver),
  };
}

/**
 * Deletes the catalogs of the scan's quarter that no node has. A compile that comes to one of
 * them again just now finds it gone at the node's next request, and is repeated.
 */
async function pruneCatalogs(
  { blobs, clock }: PruneCodePorts,
  { hashes, digits }: CatalogScan,
  { dryRun, observe = unobserved }: PruneCodeOptions,
  isOver: () => boolean,
): Promise<number> {
  if (hashes === null) return 0;
  const since = clock.now() - CATALOGS_KEPT_MS;
  let [deleted, seen] = [0, 0];
  for await (const entries of listPages(blobs, CATALOGS)) {
    observe('looking for catalogs that no node has', seen);
    seen += entries.length;
    const unused = entries.filter(({ key, putAt }) => {
      const hash = key.slice(CATALOGS.length);
      return digits.includes(hash.charAt(0)) && !hashes.has(hash) && putAt < since;
    });
    await inParallel(AT_ONCE, unused, async ({ key }) => {
      if (isOver()) return;
      if (!dryRun) await blobs.delete(key);
      deleted += 1;
    });
    if (isOver()) break;
  }
  return deleted;
}

/** Code ids that may be requested at any time, with those that nodes' catalogs name. */
async function listNeededCode(
  ports: PruneCodePorts,
  historyKept: number,
  named: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const needed = new Set(named);
  const since = ports.clock.now() - DAY_MS;
  for (const record of await ports.environments.list()) {
    for (const codeId of codeOf(record, historyKept, since)) needed.add(codeId);
  }
  for (const { codeId } of await listUploadedCode(ports)) needed.add(codeId);
  return needed;
}

/**
 * The code in force, also of a stage, the newest history, code in force within the last day (a
 * compile may use it), and the code that a deploy is still compared with.
 */
function codeOf(record: EnvironmentRecord, historyKept: number, since: number): string[] {
  const { codeId, deployedAt, history, settled, revision, stage } = record;
  const earlier = history.filter((_, index) => {
    const replacedAt = history[index - 1]?.deployedAt ?? deployedAt;
    return index < historyKept || replacedAt > since || settled < revision;
  });
  return [codeId, ...(stage ? [stage.codeId] : []), ...earlier.map((one) => one.codeId)];
}

interface SortedSnapshots {
  readonly kept: readonly string[];
  readonly leaving: readonly string[];
  readonly overdue: readonly string[];
}

/** Marks snapshots that became unused, and unmarks those needed again. */
async function sortSnapshots(
  { blobs, clock }: PruneCodePorts,
  needed: ReadonlySet<string>,
  { keptMs, dryRun }: PruneCodeOptions,
): Promise<SortedSnapshots> {
  const sorted = { kept: [] as string[], leaving: [] as string[], overdue: [] as string[] };
  const entries = new Map((await listAll(blobs, 'snapshots/')).map((entry) => [entry.key, entry]));
  const now = clock.now();
  for (const { key, putAt } of entries.values()) {
    const [, codeId] = /^snapshots\/([0-9a-f]+)$/.exec(key) ?? [];
    if (codeId === undefined) continue;
    const mark = entries.get(getLeavingBlobKey(codeId));
    if (needed.has(codeId) || putAt > now - DAY_MS) {
      sorted.kept.push(codeId);
      if (mark && !dryRun) await blobs.delete(mark.key);
    } else if (mark && mark.putAt <= now - Math.max(keptMs, SHORTEST_MS)) {
      sorted.overdue.push(codeId);
    } else {
      sorted.leaving.push(codeId);
      if (!mark && !dryRun) await blobs.put(getLeavingBlobKey(codeId), new Uint8Array());
    }
  }
  return sorted;
}

async function deleteSnapshot(blobs: BlobStore, codeId: string): Promise<void> {
  for (const key of blobsOfSnapshot(codeId)) await blobs.delete(key);
}

/** Deletes history entries whose code can no longer be deployed. */
async function forgetHistory({ environments }: PruneCodePorts, deleted: ReadonlySet<string>): Promise<void> {
  if (deleted.size === 0) return;
  for (const record of await environments.list()) {
    const history = record.history.filter(({ codeId }) => !deleted.has(codeId));
    if (history.length < record.history.length) await environments.replace({ ...record, history }, record.revision);
  }
}

async function pruneContent(
  { blobs, clock }: PruneCodePorts,
  codeIds: readonly string[],
  dryRun: boolean,
  isOver: () => boolean,
): Promise<Pick<PrunedCode, 'files' | 'bytes'>> {
  const used = new Set<string>();
  await inParallel(AT_ONCE, codeIds, async (codeId) => {
    const { snapshot, packs } = await loadManifest(blobs, codeId);
    for (const { sha256 } of Object.values(snapshot.files)) used.add(contentBlob(sha256));
    for (const { id } of packs) used.add(packBlob(id));
  });
  const since = clock.now() - DAY_MS;
  let [files, bytes] = [0, 0];
  for await (const entries of listContent(blobs)) {
    const unused = entries.filter(({ key, putAt }) => !used.has(needOf(key)) && putAt < since);
    await inParallel(AT_ONCE, unused, async ({ key, size }) => {
      if (isOver()) return;
      if (!dryRun) await blobs.delete(key);
      if (!key.startsWith(PREFIXES.files)) return;
      files += 1;
      bytes += size;
    });
    if (isOver()) break;
  }
  return { files, bytes };
}

/** Lists deployed files, then packs, then notes on damaged files. */
async function* listContent(blobs: BlobStore): AsyncGenerator<readonly BlobEntry[]> {
  for (const prefix of [PREFIXES.files, PREFIXES.packs, PREFIXES.damaged]) yield* listPages(blobs, prefix);
}

/** The blob whose need decides about this one: a note on a file is needed as long as the file. */
function needOf(key: string): string {
  return key.startsWith(PREFIXES.damaged) ? contentBlob(key.slice(PREFIXES.damaged.length)) : key;
}

async function listAll(blobs: BlobStore, prefix: string): Promise<readonly BlobEntry[]> {
  const all: BlobEntry[] = [];
  for await (const entries of listPages(blobs, prefix)) all.push(...entries);
  return all;
}
