import type { NodeRecord } from '../../store/ports/node-record.ts';
import { EXPORTS_CHANGED } from './verify-node.ts';

/** The beginning of the reason that an export invalidated a node: see `invalidateCollectors`. */
const OF_EXPORT = 'export ';

/**
 * Adds the exports that changed to the reasons of a compile: those that invalidated the node since
 * the compile before, and the last one at least. The node's record has the latest twenty reasons.
 */
export function nameChangedExports(
  { reasons: asked, inputs }: Pick<NodeRecord, 'reasons' | 'inputs'>,
  reasons: readonly string[],
): readonly string[] {
  if (!reasons.includes(EXPORTS_CHANGED)) return reasons;
  const named = new Set(inputs?.compiles[0]?.reasons);
  const since = asked.slice(asked.findLastIndex((reason) => named.has(reason)) + 1);
  const ofExports = since.filter((reason) => reason.startsWith(OF_EXPORT));
  const last = asked.findLast((reason) => reason.startsWith(OF_EXPORT));
  const added = ofExports.length > 0 || last === undefined ? ofExports : [last];
  return reasons.flatMap((reason) => (reason === EXPORTS_CHANGED ? [reason, ...new Set(added)] : [reason]));
}
