import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  Grouping,
  InputSummary,
  JobClaim,
  NodeRecord,
} from '../ports/node-record.ts';
import { limitReasons } from '../short-texts.ts';
import type { WantState } from '../want-plan.ts';
import { readJson, readNumber, readText, unpack } from './attributes.ts';
import type { Item } from './table.ts';

/** Number of shards of the nodes table's indexes. */
export const SHARDS = 16;

/** The shard of a node: its partition in the `ring` and `outstanding` indexes. */
export function shardOf(certname: string): string {
  let sum = 0;
  for (const byte of Buffer.from(certname)) sum = (sum * 31 + byte) % 65_521;
  return shardName(sum % SHARDS);
}

/** Returns the names of all shards, which `shardOf` distributes nodes over. */
export function shardNames(): readonly string[] {
  return Array.from({ length: SHARDS }, (_, index) => shardName(index));
}

function shardName(index: number): string {
  return index.toString(16);
}

/** Reads the state on which the effect of a new reason to compile depends: see `planWant`. */
export function parseWantState(item: Item): WantState {
  const { wanted, started, built, asked } = parseNodeItem(item);
  const invalidatedFor = typeof item.invalidatedFor === 'string' ? item.invalidatedFor : null;
  return { wanted, started, built, asked, leasedUntil: Number(item.leasedUntil ?? 0), invalidatedFor };
}

/** Converts an item of the nodes table to a record. Throws StoreRefused when a field is missing. */
export function parseNodeItem(item: Item): NodeRecord {
  const reasons = Array.isArray(item.reasons) ? item.reasons.map(String) : [];
  return {
    certname: readText(item, 'certname'),
    environment: readText(item, 'environment'),
    wanted: readNumber(item, 'wanted'),
    started: readNumber(item, 'started'),
    built: readNumber(item, 'built'),
    revision: typeof item.revision === 'string' ? item.revision : null,
    reasons: limitReasons(reasons),
    wantedAt: readNumber(item, 'wantedAt'),
    asked: parseClaim(item),
    classification: readJson<Classification>(item, 'classification'),
    grouping: unpack<Grouping>(item, 'grouping'),
    external: readJson<Classification>(item, 'external'),
    catalog: readJson<CatalogPointer>(item, 'catalog'),
    failure: readJson<FailureRecord>(item, 'failure'),
    inputs: unpack<InputSummary>(item, 'inputs'),
    facts: readJson<FactsPointer>(item, 'facts'),
    checkedFacts: typeof item.checkedFacts === 'string' ? item.checkedFacts : null,
    version: readNumber(item, 'version'),
    lastSeen: readNumber(item, 'lastSeen'),
    ringPosition: readNumber(item, 'ringPosition'),
    compiles: readNumber(item, 'compiles'),
    verifications: readNumber(item, 'verifications'),
  };
}

/** Reads the claim of the node's compile job. */
export function parseClaim(item: Item): JobClaim {
  return {
    generation: readNumber(item, 'askedGeneration'),
    at: readNumber(item, 'askedAt'),
    waiting: item.askedWaiting === 1,
  };
}
