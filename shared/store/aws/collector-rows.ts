import type { CollectorRecord } from '../../puppet/catalog/exported.ts';
import { findFilterKeys } from '../../puppet/compiler/export-keys.ts';
import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { ALL_EXPORT_SHARDS, exportShardOf } from '../export-shards.ts';
import type { CollectorPage, StoredCollector } from '../ports/export-store.ts';
import { readJson, readText } from './attributes.ts';
import { rowId, selectorPartition, shardPartition } from './export-keys.ts';
import { compareTo } from './expressions.ts';
import type { OwnedRow } from './owned-rows.ts';
import type { Item, Table } from './table.ts';

const ROWS_A_PAGE = 1000;

/** The sort key of the item which says that a selector has, or had, collectors. */
const MARKER = '#';

/** Start of a page: behind this sort key of this partition. */
type Place = readonly [partition: string, id: string | null];

/**
 * The rows of a node's collectors: in the shard of the node for one that examines all exports of
 * its type, else in the partition of each tag or title that must match.
 */
export function collectorRows(
  certname: string,
  collectors: readonly CollectorRecord[],
  environment: string | undefined,
): readonly OwnedRow[] {
  const rows = collectors.flatMap(({ type, query }) => {
    const text = canonicalJson(query);
    const id = rowId(certname, digestSha256(text));
    const content = {
      certname,
      resourceType: type,
      query: text,
      ...(environment === undefined ? {} : { environment }),
    };
    const digest = digestSha256(canonicalJson(content));
    const row = { id, digest, content, pointers: [] };
    const all = shardPartition(type, exportShardOf(certname));
    const partitions = findFilterKeys(query)?.map((key) => selectorPartition(type, key));
    if (!partitions) return [{ ...row, type: all, markers: [] }];
    return partitions.map((partition): OwnedRow => {
      return { ...row, type: partition, markers: [{ type: partition, id: MARKER }] };
    });
  });
  return [...new Map(rows.map((row) => [`${row.type} ${row.id}`, row])).values()];
}

/** Lists collectors; see `ExportStore`. */
export async function listCollectors(
  table: Table,
  type: string,
  keys: readonly string[],
  after: string | null,
): Promise<CollectorPage> {
  // Written by this function.
  let place: Place | null = after === null ? null : JSON.parse(after);
  const selectors = await findSelectors(table, type, keys);
  const partitions = [...ALL_EXPORT_SHARDS.map((shard) => shardPartition(type, shard)), ...selectors];
  const collectors: StoredCollector[] = [];
  for (const partition of partitions.slice(place ? Math.max(0, partitions.indexOf(place[0])) : 0)) {
    const start = place?.[0] === partition ? place[1] : null;
    place = null;
    const items = await table.query({
      where: compareTo('type', '=', partition),
      limit: ROWS_A_PAGE - collectors.length,
      ...(start === null ? {} : { after: { type: partition, id: start } }),
    });
    collectors.push(...items.flatMap(collectorOf));
    const last = items.at(-1);
    if (!last || items.length < ROWS_A_PAGE) continue;
    const next: Place = [partition, readText(last, 'id')];
    return { collectors, next: JSON.stringify(next) };
  }
  return { collectors, next: null };
}

/** The partitions of the keys that have collectors. */
async function findSelectors(table: Table, type: string, keys: readonly string[]): Promise<readonly string[]> {
  const partitions = [...new Set(keys.map((key) => selectorPartition(type, key)))];
  const markers = await table.batchGet(partitions.map((partition) => ({ type: partition, id: MARKER })));
  return markers.map((item) => readText(item, 'type')).sort();
}

function collectorOf(item: Item): readonly StoredCollector[] {
  if (item.id === MARKER) return [];
  const { environment } = item;
  return [
    {
      certname: readText(item, 'certname'),
      type: readText(item, 'resourceType'),
      query: readJson<unknown>(item, 'query'),
      environment: typeof environment === 'string' ? environment : null,
    },
  ];
}
