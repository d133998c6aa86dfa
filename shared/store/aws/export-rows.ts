import { SUMS_DAYS, SUMS_EXPIRY } from '../../config/deployment.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { isTitleKey } from '../../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { digestSha256 } from '../../util/digest.ts';
import type { ExportPage, ExportRows, ShardStates, StoredSums } from '../export-reader.ts';
import { ALL_EXPORT_SHARDS, exportShardOf } from '../export-shards.ts';
import { queryText } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import { shortenName } from '../short-texts.ts';
import { pack, readText, unpack } from './attributes.ts';
import { allOf, beginsWith, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

/** The partition of a type's exports in one shard. */
export function shardPartition(type: string, shard: number): string {
  return `${type}#${shard.toString(16)}`;
}

/** The type of a partition of exports. */
export function typeOfPartition(partition: string): string {
  return partition.slice(0, partition.lastIndexOf('#'));
}

/**
 * The partition of pointers to exports with a key of `listExportKeys`: one a shard for a tag, which
 * all exports may share, one for a title.
 */
export function pointerPartition(type: string, key: string, shard: number): string {
  const name = shortenName(key);
  return isTitleKey(key) ? `${type}#${name}` : `${shardPartition(type, shard)}#${name}`;
}

/** The partition of what is known of a type: versions, and sums of queries. */
function statePartition(type: string): string {
  return `@${type}`;
}

/** The partition of the collectors that must match a key. */
export function selectorPartition(type: string, key: string): string {
  return `${type}#${shortenName(key)}`;
}

/** A sort key; `nodePrefix` of the certname is its start. */
export function rowId(certname: string, name: string): string {
  return `${nodePrefix(certname)}${shortenName(name)}`;
}

function nodePrefix(certname: string): string {
  return `${certname.replaceAll(/[%#]/g, encodeURIComponent)}#`;
}

/** The certname of a sort key. */
function nodeOf(id: string): string {
  return decodeURIComponent(id.slice(0, id.indexOf('#')));
}

const ROWS_A_PAGE = 1000;
const VERSIONS = 'versions';

/** Reads the exports table; `shared/config/deployment.ts` describes its keys. */
export class AwsExportRows implements ExportRows {
  readonly #table: Table;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(table: Table, clock: Pick<Clock, 'now'>) {
    this.#table = table;
    this.#clock = clock;
  }

  async readStates(types: readonly string[], queries: readonly ExportQuery[]): Promise<ShardStates> {
    const ofTypes = types.map((type) => [type, { type: statePartition(type), id: VERSIONS }] as const);
    const ofQueries = queries.map((query) => [queryText(query), sumsKey(query)] as const);
    const items = await this.#table.batchGet([...ofTypes, ...ofQueries].map(([, key]) => key));
    const byKey = new Map(items.map((item) => [keyText(item), item]));
    return {
      versions: new Map(ofTypes.map(([type, key]) => [type, versionsOf(byKey.get(keyText(key)) ?? {})])),
      sums: new Map(
        ofQueries.map(([text, key]) => [text, unpack<StoredSums>(byKey.get(keyText(key)) ?? {}, 'sums') ?? []]),
      ),
    };
  }

  async putSums(query: ExportQuery, sums: StoredSums): Promise<void> {
    const expires = Math.ceil(this.#clock.now() / 1000) + SUMS_DAYS * 86_400;
    await this.#table.put({ ...sumsKey(query), sums: pack(sums), [SUMS_EXPIRY]: expires });
  }

  /** Gives these shards of a type a version that they never had. */
  async raiseVersions(type: string, shards: Iterable<number>, version: string): Promise<void> {
    const set = Object.fromEntries(Array.from(shards, (shard) => [versionAttribute(shard), version]));
    await this.#table.update({ type: statePartition(type), id: VERSIONS }, { set });
  }

  async *readShard(type: string, keys: readonly string[] | null, shard: number | null): AsyncIterable<ExportPage> {
    if (keys === null) {
      for (const one of shard === null ? ALL_EXPORT_SHARDS : [shard]) {
        for await (const items of this.#pages(shardPartition(type, one))) yield toPage(items);
      }
      return;
    }
    const seen = new Set<string>();
    for (const partition of new Set(keys.map((key) => pointerPartition(type, key, shard ?? 0)))) {
      for await (const pointers of this.#pages(partition)) {
        const ids = pointers.map((item) => readText(item, 'id')).filter((id) => !seen.has(id));
        for (const id of ids) seen.add(id);
        yield toPage(await this.#readRows(type, ids, shard));
      }
    }
  }

  #readRows(type: string, ids: readonly string[], shard: number | null): Promise<readonly Item[]> {
    const keys = ids
      .map((id) => ({ id, place: exportShardOf(nodeOf(id)) }))
      .filter(({ place }) => shard === null || place === shard)
      .map(({ id, place }) => ({ type: shardPartition(type, place), id }));
    return this.#table.batchGet(keys);
  }

  async listOwn(type: string, certname: string): Promise<readonly ExportedResource[]> {
    const partition = compareTo('type', '=', shardPartition(type, exportShardOf(certname)));
    const items = await this.#table.query({ where: allOf(partition, beginsWith('id', nodePrefix(certname))) });
    return toPage(items).resources;
  }

  async *#pages(partition: string): AsyncIterable<readonly Item[]> {
    const where = compareTo('type', '=', partition);
    let after: Item | undefined;
    do {
      const items = await this.#table.query({ where, limit: ROWS_A_PAGE, ...(after ? { after } : {}) });
      yield items;
      const last = items.length < ROWS_A_PAGE ? undefined : items.at(-1);
      after = last && { type: last.type, id: last.id };
    } while (after);
  }
}

function sumsKey(query: ExportQuery) {
  return { type: statePartition(query.type), id: `sums#${digestSha256(queryText(query))}` };
}

function versionsOf(item: Item): readonly string[] {
  return ALL_EXPORT_SHARDS.map((shard) => String(item[versionAttribute(shard)] ?? ''));
}

function versionAttribute(shard: number): string {
  return `version${shard}`;
}

function keyText({ type, id }: Item): string {
  return JSON.stringify([type, id]);
}

function toPage(items: readonly Item[]): ExportPage {
  const texts = items.map((item) => readText(item, 'resource'));
  return {
    resources: texts.map((text): ExportedResource => JSON.parse(text)),
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
  };
}
