import { allNodes } from '../../store/list-pages.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { unobserved, type WorkObserver } from '../../util/work-observer.ts';
import { CATALOG_LOST, catalogKey, loadCatalog } from '../catalogs/catalog-blob.ts';
import { loadSetParts } from '../dependencies/dependency-cache.ts';
import { factsBlobOf, loadFacts } from '../facts/facts-blob.ts';
import { HierarchyStore } from '../groups/hierarchy-store.ts';
import { invalidateNodes } from '../nodes/invalidate-nodes.ts';
import { packBlob, readPack } from '../snapshots/pack-file.ts';
import { snapshotBlob } from '../snapshots/snapshot-blobs.ts';
import { findManifest, type SnapshotManifest } from '../snapshots/snapshot-manifest.ts';
import { contentBlob, markDamaged } from '../snapshots/stored-content.ts';

/** A blob that a record names, and that is missing or damaged. */
export interface Finding {
  readonly key: string;
  /** The owner of the record: an environment, or a certname. */
  readonly namedBy: string;
  /** The repair, and who has to act. */
  readonly remedy: string;
}

/** Number of verified objects, by kind. */
interface VerifiedCounts {
  readonly environments: number;
  readonly files: number;
  readonly nodes: number;
  readonly catalogs: number;
}

export interface StoreFindings {
  readonly counts: VerifiedCounts;
  readonly findings: readonly Finding[];
}

type VerifyPorts = Pick<Stores, 'environments' | 'nodes' | 'blobs' | 'queue' | 'groups' | 'clock'>;

const AT_ONCE = 16;
const DEPLOY = 'deploy the environment again';
const COMPILE = 'the node is compiled again';

/**
 * Reads all that the records name: the code and the node groups in force, and catalogs, facts and
 * dependency sets of nodes. Compares contents with the digests in their names. With `repair`, lost
 * files are noted, so that the next deploy uploads them also when its code is unchanged, nodes that
 * lost something are compiled, and an earlier state of the groups is put in force. Nothing else has
 * to be repaired: readers treat what is damaged as missing.
 */
export async function verifyStores(
  ports: VerifyPorts,
  repair: boolean,
  observe: WorkObserver = unobserved,
): Promise<StoreFindings> {
  const code = await verifyCode(ports, repair, observe);
  const groups = await verifyGroups(ports, repair);
  const nodes = await verifyNodes(ports, repair, observe);
  return {
    counts: { ...code.counts, ...nodes.counts },
    findings: [...code.findings, ...groups, ...nodes.findings],
  };
}

async function verifyCode({ environments, blobs }: VerifyPorts, repair: boolean, observe: WorkObserver) {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const all = await environments.list();
  for (const { name, codeId } of all.flatMap(listCodeOf)) {
    const manifest = await findManifest(blobs, codeId);
    if (manifest === null) {
      findings.push({ key: snapshotBlob(codeId), namedBy: name, remedy: DEPLOY });
      continue;
    }
    const files = digestsOf(manifest).filter((sha256) => !seen.has(sha256));
    for (const sha256 of files) seen.add(sha256);
    let read = 0;
    const lost = await inParallel(AT_ONCE, files, async (sha256) => {
      read += 1;
      observe(`${name}: reading files`, read, files.length);
      const bytes = await blobs.get(contentBlob(sha256));
      if (bytes !== null && digestSha256(bytes) === sha256) return [];
      if (repair) await markDamaged(blobs, sha256, bytes === null);
      return [{ key: contentBlob(sha256), namedBy: name, remedy: DEPLOY }];
    });
    const packs = await inParallel(AT_ONCE, manifest.packs, async ({ id }) => {
      const bytes = await blobs.get(packBlob(id));
      const isSound = bytes !== null && (await readPack(bytes, id)) !== null;
      return isSound ? [] : [{ key: packBlob(id), namedBy: name, remedy: `its files are read instead; ${DEPLOY}` }];
    });
    findings.push(...lost.flat(), ...packs.flat());
  }
  return { findings, counts: { environments: all.length, files: seen.size } };
}

/** The code of an environment, and that of its stage. */
function listCodeOf({ name, codeId, stage }: EnvironmentRecord) {
  return [{ name, codeId }, ...(stage ? [{ name, codeId: stage.codeId }] : [])];
}

function digestsOf({ snapshot }: SnapshotManifest): readonly string[] {
  return [...new Set(Object.values(snapshot.files).map(({ sha256 }) => sha256))];
}

async function verifyGroups(ports: VerifyPorts, repair: boolean): Promise<readonly Finding[]> {
  const damage = await new HierarchyStore(ports).verify(repair);
  if (damage === null) return [];
  const remedy =
    damage.earlier === null
      ? 'no earlier state of the groups can be read: restore a backup'
      : 'the newest earlier state that can be read takes its place; look at the groups';
  return [{ key: damage.key, namedBy: 'the node groups', remedy }];
}

async function verifyNodes(ports: VerifyPorts, repair: boolean, observe: WorkObserver) {
  const findings: Finding[] = [];
  const catalogs = new Map<string, Promise<boolean>>();
  const sets = new Map<string, Promise<boolean>>();
  let nodes = 0;
  for await (const page of allNodes(ports.nodes)) {
    observe('reading the catalogs of nodes', nodes);
    nodes += page.length;
    const found = await inParallel(AT_ONCE, page, async (node) => {
      const lost = [...(await findCatalogs(node, ports, catalogs)), ...(await findSets(node, ports, sets))];
      if (repair && lost.length > 0) await invalidateNodes([node.certname], CATALOG_LOST, ports);
      return [...lost, ...(await findFacts(node, ports))];
    });
    findings.push(...found.flat());
  }
  return { findings, counts: { nodes, catalogs: catalogs.size } };
}

async function findCatalogs(
  { certname: namedBy, catalog }: NodeRecord,
  { blobs }: VerifyPorts,
  known: Map<string, Promise<boolean>>,
): Promise<readonly Finding[]> {
  const hashes = catalog === null ? [] : [catalog.hash, ...Object.values(catalog.static ?? {})];
  const isSound = (hash: string) => once(known, hash, async () => (await loadCatalog(blobs, hash)) !== null);
  const sound = await Promise.all(hashes.map(isSound));
  return hashes.flatMap((hash, index) => (sound[index] ? [] : [{ key: catalogKey(hash), namedBy, remedy: COMPILE }]));
}

async function findSets(
  { certname: namedBy, inputs }: NodeRecord,
  { blobs }: VerifyPorts,
  known: Map<string, Promise<boolean>>,
): Promise<readonly Finding[]> {
  const set = inputs?.dependencies.set;
  if (set === undefined) return [];
  const isSound = await once(known, set, async () => (await loadSetParts(blobs, set).catch(() => null)) !== null);
  return isSound ? [] : [{ key: `dependencies/${set}`, namedBy, remedy: COMPILE }];
}

async function findFacts(node: NodeRecord, { blobs }: VerifyPorts): Promise<readonly Finding[]> {
  if (node.facts === null || (await loadFacts(blobs, node).catch(() => null)) !== null) return [];
  return [{ key: factsBlobOf(node), namedBy: node.certname, remedy: 'the next run of the agent sends them' }];
}

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}
