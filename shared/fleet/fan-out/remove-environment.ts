import { type EnvironmentRecord, revisionToken } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { findPartsOf, listAffectedNodes } from '../dependencies/affected-nodes.ts';
import { invalidateNodes } from '../nodes/invalidate-nodes.ts';
import { listRootPaths } from '../snapshots/snapshot-manifest.ts';

type RemovalPorts = Pick<Stores, 'environments' | 'documents' | 'dependencies' | 'nodes' | 'queue' | 'clock'>;

/** Removals that are not done, by environment: each names the revision that it removes. */
const REMOVALS = 'environment-removals';
const MOST_RESUMED = 100;

/**
 * Removes an environment and invalidates its nodes. They fail until it is deployed again or they
 * request another one. A removal that is cut short is resumed by the next call, or by the feeder.
 * Returns the nodes.
 */
export async function removeEnvironment(ports: RemovalPorts, name: string): Promise<readonly string[]> {
  const { environments, documents } = ports;
  const old = await environments.get(name);
  if (old) await documents.put(REMOVALS, name, { revision: revisionToken(old) });
  return finishRemoval(ports, name);
}

/** Finishes all removals that were cut short; returns the environments. */
export async function resumeRemovals(ports: RemovalPorts): Promise<readonly string[]> {
  const begun = await ports.documents.list(REMOVALS, '', MOST_RESUMED);
  for (const { key } of begun) await finishRemoval(ports, key);
  return begun.map(({ key }) => key);
}

/** A node that was invalidated for the removal is not invalidated again. */
async function finishRemoval(ports: RemovalPorts, name: string): Promise<readonly string[]> {
  const { environments, documents, dependencies } = ports;
  const removal = await documents.get(REMOVALS, name);
  if (removal === null) return [];
  const present = await environments.get(name);
  if (present && isOf(removal.revision, present)) await environments.delete(name);
  // An environment that was deployed again meanwhile invalidates its nodes itself.
  const isBack = present !== null && !isOf(removal.revision, present);
  const nodes = isBack
    ? []
    : await listAffectedNodes(name, await findPartsOf(name, listRootPaths(name), { dependencies }), { dependencies });
  await invalidateNodes(nodes, `environment ${name} removed`, ports, `${removal.revision} removed`);
  await documents.remove(REMOVALS, name, removal);
  return nodes;
}

function isOf(revision: unknown, environment: EnvironmentRecord): boolean {
  return revision === revisionToken(environment);
}
