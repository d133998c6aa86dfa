import { randomUUID } from 'node:crypto';
import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { findFilterKeys, listExportKeys } from '../../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { ExportReader } from '../export-reader.ts';
import { ALL_EXPORT_SHARDS, exportShardOf } from '../export-shards.ts';
import { combineDigests, digestStored } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { CollectorPage, ExportChange, ExportStore, StoredCollector } from '../ports/export-store.ts';
import { readJson, readText } from './attributes.ts';
import {
  AwsExportRows,
  pointerPartition,
  rowId,
  selectorPartition,
  shardPartition,
  typeOfPartition,
} from './export-rows.ts';
import { compareTo } from './expressions.ts';
import { type OwnedRow, OwnedRows } from './owned-rows.ts';
import type { Item, Table } from './table.ts';

/**
 * Exports and collectors in two tables. The exports table's stream delivers the changes; the
 * function that receives them calls `noteChanges`.
 */
export class AwsExportStore implements ExportStore {
  readonly #exports: OwnedRows;
  readonly #collectors: OwnedRows;
  readonly #collectorsTable: Table;
  readonly #rows: AwsExportRows;
  readonly #reader: ExportReader;

  constructor(exports: Table, collectors: Table, clock: Pick<Clock, 'now'>) {
    this.#exports = new OwnedRows(exports);
    this.#collectors = new OwnedRows(collectors);
    this.#collectorsTable = collectors;
    this.#rows = new AwsExportRows(exports, clock);
    this.#reader = new ExportReader(this.#rows);
  }

  collect(queries: readonly ExportQuery[], except: string): Promise<readonly ExportedResource[]> {
    return this.#reader.collect(queries, except);
  }

  digestCollected(queries: readonly ExportQuery[], except: string): Promise<string> {
    return this.#reader.digestCollected(queries, except);
  }

  async listOwn(certname: string, types: readonly string[] | null): Promise<readonly ExportedResource[]> {
    const wanted = types ?? [...new Set((await this.#exports.listPartitions(certname)).map(typeOfPartition))];
    return (await Promise.all(wanted.map((type) => this.#rows.listOwn(type, certname)))).flat();
  }

  async noteChanges(changes: readonly ExportChange[]): Promise<void> {
    const changed = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    for (const [type, ofType] of Map.groupBy(changed, (resource) => resource.type)) {
      const shards = new Set(ofType.map(({ certname }) => exportShardOf(certname)));
      await this.#rows.raiseVersions(type, shards, randomUUID());
    }
  }

  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean> {
    return this.#exports.replace(certname, generation, resources.map(exportRow));
  }

  replaceCollectors(
    certname: string,
    generation: number,
    collectors: readonly CollectorRecord[],
    environment?: string,
  ): Promise<boolean> {
    return this.#collectors.replace(certname, generation, collectorRows(certname, collectors, environment));
  }

  listCollectors(type: string, keys: readonly string[], after: string | null): Promise<CollectorPage> {
    return listCollectors(this.#collectorsTable, type, keys, after);
  }

  async getDigest(certname: string): Promise<string> {
    const digests = await this.#exports.listDigests(certname);
    return digests ? combineDigests(digests) : 'being written';
  }

  async delete(certname: string): Promise<void> {
    await this.#exports.delete(certname);
    await this.#collectors.delete(certname);
  }
}

function exportRow(resource: ExportedResource): OwnedRow {
  const { certname, type, title } = resource;
  const shard = exportShardOf(certname);
  const id = rowId(certname, title);
  return {
    type: shardPartition(type, shard),
    id,
    digest: digestStored(resource),
    content: { resource: JSON.stringify(resource) },
    pointers: listExportKeys(resource).map((key) => pointerPartition(type, key, shard)),
    markers: [],
  };
}

const ROWS_A_PAGE = 1000;

/** The sort key of the item which says that a selector has, or had, collectors. */
const MARKER = '#';

/** Start of a page: behind this sort key of this partition. */
type Place = readonly [partition: string, id: string | null];

/**
 * The rows of a node's collectors: in the shard of the node for one that examines all exports of
 * its type, else in the partition of each tag or title that must match.
 */
function collectorRows(
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
async function listCollectors(
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
