import type { NodeRecord } from './ports/node-record.ts';
import type { NodeSummary } from './ports/node-store.ts';

/** Characters that a list shows of a failure. */
export const MOST_SHOWN_OF_FAILURE = 200;

/** The summary of a node: see `NodeStore.listSummaries`. */
export function summarizeNode(
  record: Pick<NodeRecord, 'certname' | 'environment' | 'wanted' | 'built' | 'lastSeen'> &
    Pick<NodeRecord, 'catalog' | 'failure' | 'inputs'>,
): NodeSummary {
  const { certname, environment, wanted, built, lastSeen, catalog, failure, inputs } = record;
  return {
    ...{ certname, environment, wanted, built, lastSeen },
    compiledAt: catalog?.compiledAt ?? null,
    failure: failure?.message.slice(0, MOST_SHOWN_OF_FAILURE) ?? null,
    isVolatile: (inputs?.volatile.length ?? 0) > 0,
  };
}
