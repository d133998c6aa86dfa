import type { ExportedResource } from '../puppet/catalog/exported.ts';
import { matchesFilter } from '../puppet/compiler/export-filter.ts';
import { findFilterKeys, isTitleKey } from '../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../puppet/compiler/exported-collection.ts';
import { inParallel } from '../util/in-parallel.ts';
import { ALL_EXPORT_SHARDS, exportShardOf } from './export-shards.ts';
import {
  addSums,
  combineSums,
  listQueries,
  type QuerySum,
  queryText,
  subtractSums,
  sumResources,
} from './exports-digest.ts';

/** The sum of what a query finds in each shard, and the version of the shard when it was read. */
export type StoredSums = readonly (readonly [version: string, sum: string])[];

/** State of a type's shards, known without reading exports. */
export interface ShardStates {
  /** By type, then by shard; an empty text for a shard that never changed. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** By `queryText`. */
  readonly sums: ReadonlyMap<string, StoredSums>;
}

/** Some of a shard's exports, with the bytes of their JSON. */
export interface ExportPage {
  readonly resources: readonly ExportedResource[];
  readonly bytes: number;
}

/** The rows of one store of exports. */
export interface ExportRows {
  /** The versions of the shards of these types, and the stored sums of these queries. */
  readStates(types: readonly string[], queries: readonly ExportQuery[]): Promise<ShardStates>;
  putSums(query: ExportQuery, sums: StoredSums): Promise<void>;
  /**
   * A shard's exports of a type with one of the keys (null: all of the type), each once. With
   * titles as keys, a null shard stands for all shards.
   */
  readShard(type: string, keys: readonly string[] | null, shard: number | null): AsyncIterable<ExportPage>;
  /** Lists the exports of a node of a type. */
  listOwn(type: string, certname: string): Promise<readonly ExportedResource[]>;
}

type Accepts = (resource: ExportedResource) => boolean;

/** Shards that are summed at once: each of them may be in memory. */
const SUMMED_AT_ONCE = 4;

/**
 * Reads exports by query, with the rows of any store. Exports that were read stay in memory until
 * their shard's version is raised, up to a bound.
 */
export class ExportReader {
  readonly #rows: ExportRows;
  readonly #cache = new ShardCache();

  constructor(rows: ExportRows) {
    this.#rows = rows;
  }

  /** See `ExportStore`. */
  async collect(queries: readonly ExportQuery[], except: string): Promise<readonly ExportedResource[]> {
    const byType = Map.groupBy(listQueries(queries), ({ type }) => type);
    const { versions } = await this.#rows.readStates([...byType.keys()], []);
    const found = await Promise.all(
      [...byType].map(([type, ofType]) => this.#collectType(type, ofType, except, versions.get(type) ?? [])),
    );
    return found.flat().sort(compareResources);
  }

  async #collectType(
    type: string,
    queries: readonly ExportQuery[],
    except: string,
    versions: readonly string[],
  ): Promise<readonly ExportedResource[]> {
    const accepts: Accepts = (resource) =>
      resource.certname !== except && queries.some(({ query }) => matchesFilter(resource, query));
    const keys = joinKeys(queries.map(({ query }) => findFilterKeys(query)));
    if (isTitles(keys)) return this.#readTitles(type, keys, versions, accepts);
    const shards = ALL_EXPORT_SHARDS.map((shard) => this.#read(type, keys, shard, versions[shard] ?? '', accepts));
    return (await Promise.all(shards)).flat();
  }

  /** A title is in one place for all shards. */
  #readTitles(
    type: string,
    keys: readonly string[],
    versions: readonly string[],
    accepts: Accepts,
  ): Promise<readonly ExportedResource[]> {
    return this.#read(type, keys, null, versions.join(), accepts);
  }

  /** See `ExportStore`. */
  async digestCollected(queries: readonly ExportQuery[], except: string): Promise<string> {
    const wanted = listQueries(queries);
    const types = [...new Set(wanted.map(({ type }) => type))];
    const { versions, sums } = await this.#rows.readStates(types, wanted);
    const own = new Map(
      await Promise.all(types.map(async (type) => [type, await this.#rows.listOwn(type, except)] as const)),
    );
    const combined: QuerySum[] = [];
    for (const one of wanted) {
      const all = await this.#sum(one, versions.get(one.type) ?? [], sums.get(queryText(one)) ?? []);
      const mine = (own.get(one.type) ?? []).filter((resource) => matchesFilter(resource, one.query));
      combined.push([one, subtractSums(all, sumResources(mine))]);
    }
    return combineSums(combined);
  }

  /** The sum over all nodes. Reads the shards whose versions were raised, and stores the result. */
  async #sum(query: ExportQuery, versions: readonly string[], stored: StoredSums): Promise<bigint> {
    const changed = ALL_EXPORT_SHARDS.filter((shard) => stored[shard]?.[0] !== (versions[shard] ?? ''));
    const read = changed.length === 0 ? [] : await this.#sumShards(query, versions, changed);
    const sums = ALL_EXPORT_SHARDS.map((shard) => read[shard] ?? BigInt(`0x${stored[shard]?.[1] ?? '0'}`));
    if (changed.length > 0) {
      const now = sums.map((sum, shard) => [versions[shard] ?? '', sum.toString(16)] as const);
      await this.#rows.putSums(query, now);
    }
    return addSums(sums);
  }

  /** The sums of these shards, by shard. */
  async #sumShards(
    { type, query }: ExportQuery,
    versions: readonly string[],
    shards: readonly number[],
  ): Promise<readonly bigint[]> {
    const keys = findFilterKeys(query);
    const accepts: Accepts = (resource) => matchesFilter(resource, query);
    if (isTitles(keys)) {
      const found = Map.groupBy(await this.#readTitles(type, keys, versions, accepts), ({ certname }) =>
        exportShardOf(certname),
      );
      return ALL_EXPORT_SHARDS.map((shard) => sumResources(found.get(shard) ?? []));
    }
    const sums: bigint[] = [];
    await inParallel(SUMMED_AT_ONCE, shards, async (shard) => {
      sums[shard] = sumResources(await this.#read(type, keys, shard, versions[shard] ?? '', accepts));
    });
    return sums;
  }

  /**
   * The accepted exports of a shard. Others are not kept in memory, unless all fit in the cache.
   */
  async #read(
    type: string,
    keys: readonly string[] | null,
    shard: number | null,
    version: string,
    accepts: Accepts,
  ): Promise<readonly ExportedResource[]> {
    const id = JSON.stringify([type, shard, keys]);
    const cached = this.#cache.get(id, version);
    if (cached) return cached.filter(accepts);
    const accepted: ExportedResource[] = [];
    let all: ExportedResource[] | null = [];
    let bytes = 0;
    for await (const page of this.#rows.readShard(type, keys, shard)) {
      bytes += page.bytes;
      if (bytes > ShardCache.MOST_BYTES_A_SHARD) all = null;
      all?.push(...page.resources);
      for (const resource of page.resources) if (accepts(resource)) accepted.push(resource);
    }
    if (all) this.#cache.set(id, { version, resources: all, bytes });
    return accepted;
  }
}

/** The keys of all queries; null when one of them reads all of the type. */
function joinKeys(keys: readonly (readonly string[] | null)[]): readonly string[] | null {
  const known = keys.filter((one) => one !== null);
  return known.length < keys.length ? null : [...new Set(known.flat())].sort();
}

function isTitles(keys: readonly string[] | null): keys is readonly string[] {
  return keys?.every(isTitleKey) ?? false;
}

function compareResources(a: ExportedResource, b: ExportedResource): number {
  return compare(a.certname, b.certname) || compare(a.type, b.type) || compare(a.title, b.title);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

interface CachedShard {
  readonly version: string;
  readonly resources: readonly ExportedResource[];
  /** Bytes of their JSON; objects take about three times as much memory. */
  readonly bytes: number;
}

const MOST_BYTES = 32 * 1024 * 1024;
/** Bytes of an entry without resources. */
const LEAST_BYTES = 500;

/** An LRU cache of the exports in a shard, bounded by the bytes of their JSON. */
class ShardCache {
  static readonly MOST_BYTES_A_SHARD = MOST_BYTES / 16;
  readonly #entries = new Map<string, CachedShard>();
  #bytes = 0;

  /** Returns the exports that were read in this version of the shard; null when unknown. */
  get(id: string, version: string): readonly ExportedResource[] | null {
    const entry = this.#entries.get(id);
    if (entry?.version !== version) return null;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.resources;
  }

  set(id: string, entry: CachedShard): void {
    this.#drop(id);
    this.#entries.set(id, entry);
    this.#bytes += entry.bytes + LEAST_BYTES;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#bytes -= entry.bytes + LEAST_BYTES;
    this.#entries.delete(id);
  }
}
