import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  InputSummary,
  NodeRecord,
} from '../ports.ts';
import { boundedReasons } from '../reasons.ts';
import { json, number, text, unpacked } from './attributes.ts';
import type { Item } from './table.ts';

/** How many shards the indexes of the nodes table have. */
export const SHARDS = 16;

/** The shard of a node: which partition of the `ring` and `outstanding` indexes it is in. */
export function shardOf(certname: string): string {
  let sum = 0;
  for (const byte of Buffer.from(certname)) sum = (sum * 31 + byte) % 65_521;
  return shardName(sum % SHARDS);
}

export function shardNames(): readonly string[] {
  return Array.from({ length: SHARDS }, (_, index) => shardName(index));
}

function shardName(index: number): string {
  return index.toString(16);
}

export function nodeOf(item: Item): NodeRecord {
  const reasons = Array.isArray(item.reasons) ? item.reasons.map(String) : [];
  return {
    certname: text(item, 'certname'),
    environment: text(item, 'environment'),
    wanted: number(item, 'wanted'),
    built: number(item, 'built'),
    reasons: boundedReasons(reasons),
    wantedAt: number(item, 'wantedAt'),
    asked: {
      generation: number(item, 'askedGeneration'),
      at: number(item, 'askedAt'),
      waiting: item.askedWaiting === 1,
    },
    classification: json<Classification>(item, 'classification'),
    catalog: json<CatalogPointer>(item, 'catalog'),
    failure: json<FailureRecord>(item, 'failure'),
    inputs: unpacked<InputSummary>(item, 'inputs'),
    facts: json<FactsPointer>(item, 'facts'),
    lastSeen: number(item, 'lastSeen'),
    ringPosition: number(item, 'ringPosition'),
    compiles: number(item, 'compiles'),
    verifications: number(item, 'verifications'),
  };
}
