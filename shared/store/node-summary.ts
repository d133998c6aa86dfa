import type { NodeRecord } from './ports/node-record.ts';
import type { NodeSummary } from './ports/node-store.ts';

/** Characters that a list shows of a failure. */
const MOST_SHOWN_OF_FAILURE = 200;

// Puppet: EVALUATION_ERROR and RUNTIME_ERROR, lib/puppet/pops/issues.rb
const CONSTANT_PREFIX = /^(?:Evaluation Error: |Error while evaluating an? [^,()]{1,60}, )+(?=\S)/;

/** Cuts off how Puppet begins its errors of evaluation, whatever they are about. */
export function cutConstantPrefix(message: string): string {
  return message.replace(CONSTANT_PREFIX, '');
}

/** The part of a failure's message that a list shows. */
export function shortenFailure(message: string): string {
  return cutConstantPrefix(message).slice(0, MOST_SHOWN_OF_FAILURE).replaceAll('\0', '\ufffd');
}

/** The summary of a node: see `NodeStore.listSummaries`. */
export function summarizeNode(
  record: Pick<NodeRecord, 'certname' | 'environment' | 'wanted' | 'built' | 'lastSeen'> &
    Pick<NodeRecord, 'catalog' | 'failure' | 'inputs'>,
): NodeSummary {
  const { certname, environment, wanted, built, lastSeen, catalog, failure, inputs } = record;
  return {
    ...{ certname, environment, wanted, built, lastSeen },
    compiledAt: catalog?.compiledAt ?? null,
    failure: failure && shortenFailure(failure.message),
    isVolatile: (inputs?.volatile.length ?? 0) > 0,
  };
}
