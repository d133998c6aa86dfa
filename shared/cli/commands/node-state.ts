import type { NodeRecord } from '../../store/ports/node-record.ts';

/**
 * `new`: no catalog was asked for yet. `outdated`: something changed that it was built from.
 * `failed`: its code does not compile.
 */
export const NODE_STATES = ['current', 'outdated', 'failed', 'new'] as const;

export type NodeState = (typeof NODE_STATES)[number];

/** How the catalog of a node stands. */
export function nodeState({ wanted, built, failure }: NodeRecord): NodeState {
  if (wanted === 0) return 'new';
  if (built < wanted) return 'outdated';
  return failure === null ? 'current' : 'failed';
}
