import type { NodeSummary } from '../../store/ports/node-store.ts';

/**
 * State of a node, in the order in which one state wins over the next. `failing`: its code does not
 * compile, or its last run failed. `silent`: it did not check in for an hour. `new`: it has no
 * catalog yet. `stale`: an input changed, and the catalog is not compiled yet. `volatile`: its
 * catalog follows from calls that are not deterministic. `current`: nothing of that.
 */
export const FLEET_STATES = ['failing', 'silent', 'new', 'stale', 'volatile', 'current'] as const;

export type FleetNodeState = (typeof FLEET_STATES)[number];

/** A node of the view. */
export interface ViewedNode extends NodeSummary {
  /** The status of its last run, as far as it is known; null before one. */
  readonly runStatus: string | null;
  readonly isStale: boolean;
}

/** Why a node is failing. Its run fails, too, when its code does not compile. */
export const FAILING_CAUSES = ['compile', 'run'] as const;
export type FailingCause = (typeof FAILING_CAUSES)[number];

export const FLEET_SORTS = ['certname', 'state', 'environment', 'lastSeen', 'compiledAt'] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];

/** Nodes that did not check in for this time are silent: two runs at the usual interval. */
export const SILENT_MS = 3600_000;

/** Why a node is failing; null when it is not. */
export function failingCause({ failure, runStatus }: ViewedNode): FailingCause | null {
  if (failure !== null) return 'compile';
  return runStatus === 'failed' ? 'run' : null;
}

/** The state of a node at a time. */
export function fleetState(node: ViewedNode, now: number): FleetNodeState {
  if (failingCause(node) !== null) return 'failing';
  if (now - node.lastSeen > SILENT_MS) return 'silent';
  if (node.isStale) return 'stale';
  if (node.compiledAt === null) return 'new';
  return node.isVolatile ? 'volatile' : 'current';
}

/**
 * All that is true of a node at a time, the state of `fleetState` first: a silent node may have a
 * volatile catalog.
 */
export function fleetStates(node: ViewedNode, now: number): readonly FleetNodeState[] {
  const isTrue = {
    failing: failingCause(node) !== null,
    silent: now - node.lastSeen > SILENT_MS,
    stale: node.isStale,
    new: node.compiledAt === null && node.failure === null && !node.isStale,
    volatile: node.isVolatile,
  };
  const found = (['failing', 'silent', 'stale', 'new', 'volatile'] as const).filter((state) => isTrue[state]);
  return found.length > 0 ? found : ['current'];
}
