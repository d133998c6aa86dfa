import type { Registration } from '../../store/ports/dependency-index.ts';
import type { DependencySummary, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { type CutFiles, pathsOf } from './cut-files.ts';
import type { DependencyCache } from './dependency-cache.ts';

/** Parts of a worker that `registerFiles` uses. */
interface RegisterPorts {
  readonly stores: Pick<Stores, 'dependencies' | 'clock'>;
  readonly dependencies: DependencyCache;
}

/**
 * Registers what a compile of `node` looked at, so that a deploy finds the node. Only what differs
 * from its last commit is written: nothing when it looked at the same paths. Returns the membership
 * to commit.
 */
export async function registerFiles(
  node: NodeRecord,
  { set, own }: CutFiles,
  { stores, dependencies }: RegisterPorts,
): Promise<string> {
  const { certname, environment, wanted: generation } = node;
  const { clock } = stores;
  const last = lastOf(node);
  const known = new Set(last && node.inputs?.environment === environment ? pathsOf(last.own) : []);
  const ownPaths = pathsOf(own).filter((path) => !known.has(path));
  const stays = last?.set === set.id;
  const membership = stays ? last.membership : `${generation}.${clock.random().toString(36).slice(2)}`;
  await dependencies.store(set);
  if (stays && ownPaths.length === 0) return membership;
  const registration: Registration = {
    certname,
    generation,
    environment,
    joins: stays ? null : { set: set.id, token: membership },
    leaves: stays ? null : membershipOf(node),
    ownPaths,
    at: clock.now(),
  };
  if (!(await stores.dependencies.register(registration))) await stores.dependencies.define(set);
  return membership;
}

/** Notes that a purged node left its set and its paths. */
export async function forgetFiles(
  node: NodeRecord,
  { dependencies, clock }: Pick<Stores, 'dependencies' | 'clock'>,
): Promise<void> {
  const last = lastOf(node);
  if (!last || !node.inputs) return;
  const { certname, inputs } = node;
  const { environment } = inputs;
  const ownPaths = pathsOf(last.own);
  await dependencies.forget({ certname, environment, leaves: membershipOf(node), ownPaths, at: clock.now() });
}

function lastOf({ inputs }: NodeRecord): DependencySummary | null {
  return inputs?.dependencies ?? null;
}

function membershipOf(node: NodeRecord): Registration['leaves'] {
  const last = lastOf(node);
  if (!last || !node.inputs) return null;
  return { environment: node.inputs.environment, set: last.set, token: last.membership };
}
