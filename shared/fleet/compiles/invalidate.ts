import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import {
  type AffectedDependencies,
  type CodeStep,
  findAffectedParts,
  findPartsOf,
  listAffectedNodes,
} from '../dependencies/affected-nodes.ts';
import { sendJobs } from '../nodes/send-jobs.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { findManifest, listRootPaths } from '../snapshots/snapshot-manifest.ts';

export type InvalidatePorts = Pick<
  Stores,
  'nodes' | 'dependencies' | 'exports' | 'blobs' | 'environments' | 'documents' | 'queue' | 'clock' | 'processes'
>;

/** Batch size of jobs: a queue's limit per call. */
const NODES_A_MESSAGE = 10;
const MESSAGES_AT_ONCE = 8;

/** Adds a reason to these nodes and sends express jobs where due. Returns the number of nodes. */
export async function invalidateNodes(
  certnames: Iterable<string>,
  reason: string,
  ports: Pick<Stores, 'nodes' | 'queue' | 'clock'>,
): Promise<number> {
  return tell(
    [...certnames].map((certname) => [certname, reason] as const),
    ports,
  );
}

/** Invalidates nodes, each for its own reason. */
async function tell(
  reasons: readonly (readonly [certname: string, reason: string])[],
  { nodes, queue, clock }: Pick<Stores, 'nodes' | 'queue' | 'clock'>,
): Promise<number> {
  const first = Array.from({ length: Math.ceil(reasons.length / NODES_A_MESSAGE) }, (_, index) => index);
  const told = await inParallel(MESSAGES_AT_ONCE, first, async (index) => {
    const some = reasons.slice(index * NODES_A_MESSAGE, (index + 1) * NODES_A_MESSAGE);
    const wanted = await inParallel(NODES_A_MESSAGE, some, async ([certname, reason]) => {
      const at = clock.now();
      const node = await nodes.want(certname, reason, at, { asked: true });
      return node ? [{ isJobDue: node.isJobDue, job: { certname, generation: node.wanted, reason, at } }] : [];
    });
    const found = wanted.flat();
    const due = found.flatMap(({ isJobDue, job }) => (isJobDue ? job : []));
    await sendJobs('express', due, { nodes, queue });
    return found.length;
  });
  return told.reduce((sum, count) => sum + count, 0);
}

/**
 * Invalidates the nodes that a deploy affects: they looked at something that differs between the
 * last settled snapshot and the one in force. Idempotent; an interrupted call is repeated as a
 * whole.
 */
export async function settleEnvironment(name: string, ports: InvalidatePorts): Promise<readonly string[]> {
  const environment = await ports.environments.get(name);
  if (!environment || environment.settled === environment.revision) return [];
  const touched = new Set<string>();
  for await (const step of listSteps(environment, ports.blobs)) {
    const affected = await findAffected(name, step, ports);
    for (const certname of await listAffectedNodes(name, affected, ports)) touched.add(certname);
  }
  const certnames = [...touched].sort();
  await invalidateNodes(certnames, `environment ${name} deployed`, ports);
  await ports.environments.settle(name, environment.revision);
  return certnames;
}

/** What a step affects: all of the environment when one of the two snapshots is unknown. */
function findAffected(name: string, step: CodeStep, ports: InvalidatePorts): Promise<AffectedDependencies> {
  return step.before && step.after
    ? findAffectedParts(name, step, ports)
    : findPartsOf(name, listRootPaths(name), ports);
}

/**
 * The steps since the settled snapshot. Each step counts by itself: a node may have compiled in
 * between, with a file that has its first content again by now.
 */
async function* listSteps(environment: EnvironmentRecord, blobs: BlobStore): AsyncGenerator<CodeStep> {
  const { codeId, history, revision, settled } = environment;
  const codeIds = [codeId, ...history.map((earlier) => earlier.codeId)].slice(0, revision - settled + 1).reverse();
  const knowsStart = settled > 0 && codeIds.length === revision - settled + 1;
  let before = knowsStart ? await findSnapshot(blobs, codeIds.shift() ?? codeId) : null;
  for (const next of codeIds) {
    const after = next === codeId ? await loadSnapshot(blobs, next) : await findSnapshot(blobs, next);
    yield { before, after };
    before = after;
  }
}

/** An earlier snapshot; null when it is missing or damaged. */
async function findSnapshot(blobs: BlobStore, codeId: string): Promise<Snapshot | null> {
  return (await findManifest(blobs, codeId))?.snapshot ?? null;
}
