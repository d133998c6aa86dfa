import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { matchesFilter } from '../../puppet/compiler/export-filter.ts';
import { listExportKeys } from '../../puppet/compiler/export-keys.ts';
import type { ExportChange, ExportChangeFeed, StoredCollector } from '../../store/ports/export-store.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { canonicalJson } from '../../util/digest.ts';
import { keepChange } from '../nodes/noted-changes.ts';
import { type WantResult, wantAndSend } from '../nodes/send-jobs.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import { DEFAULT_EXPORT_TIMING, type ExportTiming, exportsDueAt } from './export-interval.ts';

export type CollectorPorts = Pick<Stores, 'nodes' | 'exports' | 'documents' | 'queue' | 'clock'>;

const CHANGES_AT_ONCE = 2000;
const MOST_NOTED = 1000;

/** A node to invalidate, and why. */
interface Invalidation {
  readonly certname: string;
  readonly reason: string;
}

/**
 * Invalidates nodes whose collectors match one of the changed exports, before or after the change.
 * The exports are written already. A node that was compiled a short time ago gets its job later;
 * see `exportsDueAt`. Nodes of environments whose policy is `exports: ring` are not invalidated.
 * The change is noted with the first 1,000 nodes. Returns the number of nodes.
 */
export async function invalidateCollectors(
  changes: readonly ExportChange[],
  ports: CollectorPorts,
  timing: ExportTiming = DEFAULT_EXPORT_TIMING,
): Promise<number> {
  await ports.exports.noteChanges(changes);
  const touched: Invalidation[] = [];
  const states = changes.flatMap(({ before, after }) => [after ?? [], before ?? []].flat());
  const follows = createPolicyLookup(ports);
  const known = new Set<string>();
  for (const [type, ofType] of Map.groupBy(states, (resource) => resource.type)) {
    const keys = [...new Set(ofType.flatMap(listExportKeys))];
    const findReason = createMatcher(type, ofType);
    for (let after: string | null = null, isLast = false; !isLast; ) {
      const page = await ports.exports.listCollectors(type, keys, after);
      const invalidations: Invalidation[] = [];
      for (const collector of page.collectors) {
        const reason = known.has(collector.certname) ? null : findReason(collector);
        if (reason === null || !(await follows(collector))) continue;
        known.add(collector.certname);
        invalidations.push({ certname: collector.certname, reason });
      }
      await invalidateNodesPaced(invalidations, ports, timing);
      touched.push(...invalidations.slice(0, MOST_NOTED - touched.length));
      after = page.next;
      isLast = after === null;
    }
  }
  await noteExports(ports, touched);
  return known.size;
}

/**
 * Processes the change feed of the embedded store once its oldest change has waited for the delay.
 * Returns the number of changes.
 */
export async function drainExportChanges(
  feed: ExportChangeFeed,
  ports: CollectorPorts,
  timing: ExportTiming = DEFAULT_EXPORT_TIMING,
): Promise<number> {
  const received = await feed.receive(CHANGES_AT_ONCE, timing.delayMs);
  if (received.length === 0) return 0;
  await invalidateCollectors(
    received.map(({ change }) => change),
    ports,
    timing,
  );
  await feed.acknowledge(received.map(({ id }) => id));
  return received.length;
}

async function noteExports(ports: CollectorPorts, invalidations: readonly Invalidation[]): Promise<void> {
  const touched = invalidations.map(({ certname, reason }) => ({ certname, why: reason }));
  await keepChange(ports, {
    kind: 'exports',
    environment: null,
    summary: 'exported resources changed',
    user: null,
    touched,
  });
}

/** Finds the reason to invalidate a collector; null when it matches no export of another node. */
function createMatcher(
  type: string,
  states: readonly ExportedResource[],
): (collector: StoredCollector) => string | null {
  const byQuery = new Map<string, readonly ExportedResource[]>();
  return ({ certname, query }) => {
    const text = canonicalJson(query);
    const hits = byQuery.get(text) ?? states.filter((resource) => matchesFilter(resource, query));
    byQuery.set(text, hits);
    const hit = hits.find((resource) => resource.certname !== certname);
    return hit ? `export ${type}[${hit.title}] of ${hit.certname} changed` : null;
  };
}

/** Looks up whether changed exports invalidate the nodes of a collector's environment. */
function createPolicyLookup({ documents }: CollectorPorts): (collector: StoredCollector) => Promise<boolean> {
  const policies = new FreshnessPolicies(documents);
  const known = new Map<string, boolean>();
  return async ({ environment }) => {
    const name = environment ?? '';
    const follows = known.get(name) ?? (await policies.resolveExports(environment)) === 'follow';
    known.set(name, follows);
    return follows;
  };
}

/**
 * Adds a reason to the nodes and sends jobs where there is none, to be received when due. A fault
 * at one node does not keep the jobs of the others from being sent; it is thrown at the end.
 */
export async function invalidateNodesPaced(
  invalidations: readonly Invalidation[],
  ports: Pick<Stores, 'nodes' | 'queue' | 'clock'>,
  timing: ExportTiming,
): Promise<void> {
  await wantAndSend(invalidations, ports, (one) => wantNode(one, ports, timing));
}

const NO_JOB: WantResult = { jobs: [] };

/**
 * A store may fail after it has noted that the node has a job. The repeated call then sends none.
 * So a job is sent in any case once a write was tried: a node that does not want it is verified.
 */
async function wantNode(
  { certname, reason }: Invalidation,
  { nodes, clock }: Pick<Stores, 'nodes' | 'clock'>,
  timing: ExportTiming,
): Promise<WantResult> {
  const at = clock.now();
  // A compile that has a job and has not started will read the changed exports.
  const known = await nodes.get(certname);
  if (!known || (known.built < known.wanted && known.started < known.wanted && hasJob(known))) return NO_JOB;
  const job = { certname, generation: known.wanted + 1, reason, at };
  try {
    const node = await nodes.want(certname, reason, at, { asked: true, mayWait: true });
    if (!node?.isJobDue) return NO_JOB;
    const due = exportsDueAt(node, timing);
    if (due <= at) return { jobs: [{ ...job, generation: node.wanted }] };
    // Another reason needs a job that does not wait.
    await nodes.ask(certname, node.wanted, due, at + 1);
    return { jobs: [{ ...job, generation: node.wanted, notBefore: due }] };
  } catch (error) {
    return { jobs: [job], fault: error instanceof Error ? error : new Error(String(error)) };
  }
}

function hasJob({ asked, wanted }: NodeRecord): boolean {
  return asked.at > 0 && asked.generation >= wanted;
}
