import { SUMS_DAYS } from '../../config/deployment.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { listExportKeys } from '../../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { DAY_MS } from '../../util/day.ts';
import type { ExportPage, ExportRows, ShardStates, StoredSums } from '../export-reader.ts';
import { EXPORT_SHARDS, exportShardOf } from '../export-shards.ts';
import { queryText } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row, textOfColumn } from './database.ts';

const ROWS_A_PAGE = 1000;

/** The key of `export_keys` that every export of a type has. */
const ALL = '';

/** A page of a key's exports in a range of shards, in the order of the index. */
export const EXPORTS_OF_KEY = `
  SELECT k.shard, k.certname, k.title, e.resource FROM export_keys k
    CROSS JOIN exports e ON e.certname = k.certname AND e.type = k.type AND e.title = k.title
  WHERE k.type = ?1 AND k.key = ?2 AND (k.shard, k.certname, k.title) > (?3, ?4, ?5) AND k.shard <= ?6
  ORDER BY k.shard, k.certname, k.title LIMIT ?7`;

/** Exports, the index of their titles and tags, versions of shards, and sums of queries. */
export class EmbeddedExportRows implements ExportRows {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Pick<Clock, 'now'>;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(database: EmbeddedDatabase, clock: Pick<Clock, 'now'>) {
    this.#database = database;
    this.#clock = clock;
  }

  async readStates(types: readonly string[], queries: readonly ExportQuery[]): Promise<ShardStates> {
    const versions = new Map(types.map((type) => [type, Array<string>(EXPORT_SHARDS).fill('')]));
    const known = 'SELECT * FROM export_versions WHERE type IN (SELECT value FROM json_each(?))';
    for (const row of this.#database.selectAll(known, JSON.stringify(types))) {
      versions.get(textOfColumn(row, 'type'))?.splice(numberOfColumn(row, 'shard'), 1, `${row.version}`);
    }
    const stored = 'SELECT * FROM export_sums WHERE query IN (SELECT value FROM json_each(?))';
    const rows = this.#database.selectAll(stored, JSON.stringify(queries.map(queryText)));
    const sums = rows.map((row) => [textOfColumn(row, 'query'), jsonOfColumn<StoredSums>(row, 'sums') ?? []] as const);
    return { versions, sums: new Map(sums) };
  }

  /** Once a day: the next who asks one of these queries sums again. */
  #expireSums(now: number): void {
    if (now - this.#expiredAt < DAY_MS) return;
    this.#expiredAt = now;
    this.#database.run('DELETE FROM export_sums WHERE put_at < ?', now - SUMS_DAYS * DAY_MS);
  }

  async putSums(query: ExportQuery, sums: StoredSums): Promise<void> {
    const now = this.#clock.now();
    this.#expireSums(now);
    const sql = 'INSERT OR REPLACE INTO export_sums (query, sums, put_at) VALUES (?, ?, ?)';
    this.#database.run(sql, queryText(query), JSON.stringify(sums), now);
  }

  async *readShard(type: string, keys: readonly string[] | null, shard: number | null): AsyncIterable<ExportPage> {
    const seen = new Set<string>();
    for (const key of keys ?? [ALL]) {
      for (const rows of this.#pages(type, key, shard)) {
        const fresh = keys && keys.length > 1 ? rows.filter((row) => isFirst(row, seen)) : rows;
        const bytes = fresh.reduce((sum, row) => sum + textOfColumn(row, 'resource').length, 0);
        yield { resources: fresh.flatMap(resourceOf), bytes };
      }
    }
  }

  *#pages(type: string, key: string, shard: number | null): Iterable<readonly Row[]> {
    let after: [number, string, string] = [shard ?? 0, '', ''];
    const last = shard ?? EXPORT_SHARDS;
    for (;;) {
      const rows = this.#database.selectAll(EXPORTS_OF_KEY, type, key, ...after, last, ROWS_A_PAGE);
      const end = rows.at(-1);
      if (end) {
        yield rows;
        after = [numberOfColumn(end, 'shard'), textOfColumn(end, 'certname'), textOfColumn(end, 'title')];
      }
      if (rows.length < ROWS_A_PAGE) return;
    }
  }

  async listOwn(type: string, certname: string): Promise<readonly ExportedResource[]> {
    const sql = 'SELECT resource FROM exports WHERE certname = ? AND type = ?';
    return this.#database.selectAll(sql, certname, type).flatMap(resourceOf);
  }

  /** Lists the exports of a node, by type and title as JSON. */
  listAllOf(certname: string): Map<string, ExportedResource> {
    const rows = this.#database.selectAll('SELECT resource FROM exports WHERE certname = ?', certname);
    return new Map(rows.flatMap(resourceOf).map((resource) => [exportKey(resource), resource]));
  }

  /** Stores a resource in place of the one with its key. Call it in a transaction. */
  put(resource: ExportedResource, before: ExportedResource | null): void {
    const { certname, type, title } = resource;
    if (before) this.#deleteKeys(before);
    const body = JSON.stringify(resource);
    this.#database.run('INSERT OR REPLACE INTO exports VALUES (?, ?, ?, ?)', certname, type, title, body);
    const shard = exportShardOf(certname);
    for (const key of [ALL, ...listExportKeys(resource)]) {
      this.#database.run(
        'INSERT OR REPLACE INTO export_keys VALUES (?, ?, ?, ?, ?)',
        type,
        key,
        shard,
        certname,
        title,
      );
    }
  }

  delete(resource: ExportedResource): void {
    const { certname, type, title } = resource;
    this.#database.run('DELETE FROM exports WHERE certname = ? AND type = ? AND title = ?', certname, type, title);
    this.#deleteKeys(resource);
  }

  /** Raises the version of the node's shard, for these types. */
  raiseVersions(certname: string, types: Iterable<string>): void {
    const sql = 'INSERT INTO export_versions VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET version = version + 1';
    for (const type of types) this.#database.run(sql, type, exportShardOf(certname));
  }

  #deleteKeys(resource: ExportedResource): void {
    const { certname, type, title } = resource;
    const sql = 'DELETE FROM export_keys WHERE type = ? AND key = ? AND shard = ? AND certname = ? AND title = ?';
    const shard = exportShardOf(certname);
    for (const key of [ALL, ...listExportKeys(resource)]) this.#database.run(sql, type, key, shard, certname, title);
  }
}

/** The key of a resource among those of its node. */
export function exportKey({ type, title }: ExportedResource): string {
  return JSON.stringify([type, title]);
}

function isFirst(row: Row, seen: Set<string>): boolean {
  const key = JSON.stringify([row.certname, row.title]);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function resourceOf(row: Row): ExportedResource[] {
  const resource = jsonOfColumn<ExportedResource>(row, 'resource');
  return resource ? [resource] : [];
}
