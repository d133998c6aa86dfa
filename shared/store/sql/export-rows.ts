import { SUMS_DAYS } from '../../config/deployment.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { listExportKeys } from '../../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { DAY_MS } from '../../util/day.ts';
import type { ExportPage, ExportRows, ShardStates, StoredSums } from '../export-reader.ts';
import { EXPORT_SHARDS, exportShardOf } from '../export-shards.ts';
import { queryText } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import { shortenName } from '../short-texts.ts';
import { jsonOfColumn, numberOfColumn, type Row, type SqlConnection, textOfColumn } from './connection.ts';
import type { SqlDialect } from './dialect.ts';

const ROWS_A_PAGE = 1000;

/** The key of `export_keys` that every export of a type has. */
const ALL = '';

/** A page of a key's exports in a range of shards, in the order of the index. */
export function selectExportsOfKey({ ordered }: Pick<SqlDialect, 'ordered'>): string {
  return `
    SELECT k.shard, k.certname, k.title, e.resource FROM export_keys k
      ${ordered} exports e ON e.certname = k.certname AND e.type = k.type AND e.title = k.title
    WHERE k.type = ?1 AND k.key = ?2 AND (k.shard, k.certname, k.title) > (?3, ?4, ?5) AND k.shard <= ?6
    ORDER BY k.shard, k.certname, k.title LIMIT ?7`;
}

/** Exports, the index of their titles and tags, versions of shards, and sums of queries. */
export class SqlExportRows implements ExportRows {
  readonly #database: SqlConnection;
  readonly #clock: Pick<Clock, 'now'>;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(database: SqlConnection, clock: Pick<Clock, 'now'>) {
    this.#database = database;
    this.#clock = clock;
  }

  async readStates(types: readonly string[], queries: readonly ExportQuery[]): Promise<ShardStates> {
    const versions = new Map(types.map((type) => [type, Array<string>(EXPORT_SHARDS).fill('')]));
    const { texts } = this.#database.dialect;
    const known = `SELECT * FROM export_versions WHERE type IN (${texts('?')})`;
    for (const row of await this.#database.selectAll(known, JSON.stringify(types))) {
      versions.get(textOfColumn(row, 'type'))?.splice(numberOfColumn(row, 'shard'), 1, `${row.version}`);
    }
    const names = new Map(queries.map(queryText).map((text) => [shortenName(text), text]));
    const stored = `SELECT * FROM export_sums WHERE query IN (${texts('?')})`;
    const rows = await this.#database.selectAll(stored, JSON.stringify([...names.keys()]));
    const sums = rows.map((row) => {
      const name = textOfColumn(row, 'query');
      return [names.get(name) ?? name, jsonOfColumn<StoredSums>(row, 'sums') ?? []] as const;
    });
    return { versions, sums: new Map(sums) };
  }

  /** Once a day: the next who asks one of these queries sums again. */
  async #expireSums(now: number): Promise<void> {
    if (now - this.#expiredAt < DAY_MS) return;
    this.#expiredAt = now;
    await this.#database.run('DELETE FROM export_sums WHERE put_at < ?', now - SUMS_DAYS * DAY_MS);
  }

  async putSums(query: ExportQuery, sums: StoredSums): Promise<void> {
    const now = this.#clock.now();
    await this.#expireSums(now);
    const sql = `INSERT INTO export_sums (query, sums, put_at) VALUES (?, ?, ?)
      ON CONFLICT (query) DO UPDATE SET sums = excluded.sums, put_at = excluded.put_at`;
    await this.#database.run(sql, shortenName(queryText(query)), JSON.stringify(sums), now);
  }

  async *readShard(type: string, keys: readonly string[] | null, shard: number | null): AsyncIterable<ExportPage> {
    const seen = new Set<string>();
    for (const key of keys ?? [ALL]) {
      for await (const rows of this.#pages(type, shortenName(key), shard)) {
        const fresh = keys && keys.length > 1 ? rows.filter((row) => isFirst(row, seen)) : rows;
        const bytes = fresh.reduce((sum, row) => sum + textOfColumn(row, 'resource').length, 0);
        yield { resources: fresh.flatMap(resourceOf), bytes };
      }
    }
  }

  async *#pages(type: string, key: string, shard: number | null): AsyncIterable<readonly Row[]> {
    let after: [number, string, string] = [shard ?? 0, '', ''];
    const last = shard ?? EXPORT_SHARDS;
    const sql = selectExportsOfKey(this.#database.dialect);
    for (;;) {
      const rows = await this.#database.selectAll(sql, type, key, ...after, last, ROWS_A_PAGE);
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
    return (await this.#database.selectAll(sql, certname, type)).flatMap(resourceOf);
  }

  /** Lists the exports of a node, by type and title as JSON. */
  async listAllOf(certname: string, on = this.#database): Promise<Map<string, ExportedResource>> {
    const rows = await on.selectAll('SELECT resource FROM exports WHERE certname = ?', certname);
    return new Map(rows.flatMap(resourceOf).map((resource) => [exportKey(resource), resource]));
  }
}

/** Stores a resource in place of the one with its key, in a transaction. */
export async function putExport(
  on: SqlConnection,
  resource: ExportedResource,
  before: ExportedResource | null,
): Promise<void> {
  const { certname, type } = resource;
  const title = shortenName(resource.title);
  if (before) await deleteKeys(on, before);
  const sql = `INSERT INTO exports (certname, type, title, resource) VALUES (?, ?, ?, ?)
    ON CONFLICT (certname, type, title) DO UPDATE SET resource = excluded.resource`;
  await on.run(sql, certname, type, title, JSON.stringify(resource));
  const shard = exportShardOf(certname);
  for (const key of indexKeys(resource)) {
    await on.run(
      'INSERT INTO export_keys (type, key, shard, certname, title) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      type,
      key,
      shard,
      certname,
      title,
    );
  }
}

export async function deleteExport(on: SqlConnection, resource: ExportedResource): Promise<void> {
  const { certname, type, title } = resource;
  const sql = 'DELETE FROM exports WHERE certname = ? AND type = ? AND title = ?';
  await on.run(sql, certname, type, shortenName(title));
  await deleteKeys(on, resource);
}

/**
 * Raises the version of the node's shard, for these types. Call it last in a transaction: others
 * that export these types wait from here on.
 */
export async function raiseVersions(on: SqlConnection, certname: string, types: Iterable<string>): Promise<void> {
  const sql = `INSERT INTO export_versions (type, shard, version) VALUES (?, ?, 1)
    ON CONFLICT (type, shard) DO UPDATE SET version = export_versions.version + 1`;
  for (const type of [...types].sort()) await on.run(sql, type, exportShardOf(certname));
}

async function deleteKeys(on: SqlConnection, resource: ExportedResource): Promise<void> {
  const { certname, type, title } = resource;
  const sql = 'DELETE FROM export_keys WHERE type = ? AND key = ? AND shard = ? AND certname = ? AND title = ?';
  const shard = exportShardOf(certname);
  for (const key of indexKeys(resource)) await on.run(sql, type, key, shard, certname, shortenName(title));
}

function indexKeys(resource: ExportedResource): readonly string[] {
  return [ALL, ...listExportKeys(resource)].map(shortenName);
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
