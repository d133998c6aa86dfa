import { nodeState } from '../../../fleet/nodes/node-state.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import { shortenId } from '../../../util/short-id.ts';
import { formatDetails } from '../../client/details.ts';

/** Formats what is known of a node as lines `Label: value`, with the times of its record. */
export function describeNode(node: NodeRecord, waitsForFacts: boolean): string {
  const { certname, environment, catalog, failure, facts, inputs, reasons, lastSeen } = node;
  const isOutdated = nodeState(node) === 'outdated';
  return formatDetails([
    ['Node', certname],
    ['Environment', inputs?.environment ?? environment],
    ['State', waitsForFacts ? 'its certificate is signed; its facts are unknown' : nodeState(node)],
    ['Reason', isOutdated ? (reasons.at(-1) ?? null) : null],
    ['Failure', failure?.message ?? null],
    ['Catalog', catalog && shortenId(catalog.hash)],
    ['Compiled', catalog && formatTime(catalog.compiledAt)],
    ['Code', catalog?.codeId ? shortenId(catalog.codeId) : null],
    ['Facts', facts && formatTime(facts.at)],
    ['Last check-in', lastSeen === 0 ? null : formatTime(lastSeen)],
    ['Classified by', classifierOf(node)],
    ['Compiles', `${node.compiles}, and ${node.verifications} times found unchanged`],
  ]);
}

function classifierOf({ classification, grouping, external }: NodeRecord): string | null {
  if (classification !== null) return 'the operator';
  if (grouping?.classification) return 'node groups';
  return external && 'an external node classifier';
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
