import type { NodeRecord } from '../../store/ports/node-record.ts';

/**
 * `current`: the catalog is up to date. `outdated`: an input has changed. `failed`: the node's code
 * does not compile. `new`: no catalog was requested yet.
 */
export const NODE_STATES = ['current', 'outdated', 'failed', 'new'] as const;

type NodeState = (typeof NODE_STATES)[number];

/** Returns the state of a node's catalog. */
export function nodeState({ wanted, built, failure }: NodeRecord): NodeState {
  if (wanted === 0) return 'new';
  if (built < wanted) return 'outdated';
  return failure === null ? 'current' : 'failed';
}
