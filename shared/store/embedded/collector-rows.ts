import type { CollectorRecord } from '../../puppet/catalog/exported.ts';
import { findFilterKeys } from '../../puppet/compiler/export-keys.ts';
import { canonicalJson } from '../../util/digest.ts';
import type { CollectorPage, StoredCollector } from '../ports/export-store.ts';
import { type EmbeddedDatabase, jsonOfColumn, type Row, textOfColumn } from './database.ts';

const ROWS_A_PAGE = 1000;

/** The key of collectors that examine all exports of a type. */
const ALL = '';

/** Place in the list of all collectors of some keys. */
interface Place {
  readonly key: string;
  readonly certname: string;
  readonly query: string;
}

/** Collectors by the tags and titles that their exports must have. */
export class CollectorRows {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  /** Whether these are the node's collectors already. */
  isCurrent(certname: string, collectors: readonly CollectorRecord[], environment: string | null): boolean {
    const sql = 'SELECT type, key, query, environment FROM collector_keys WHERE certname = ?';
    const stored = this.#database
      .selectAll(sql, certname)
      .map(({ type, key, query, environment: place }) => JSON.stringify([type, key, query, place]));
    const wanted = listKeys(collectors).map(([type, key, query]) => JSON.stringify([type, key, query, environment]));
    return stored.length === wanted.length && new Set([...stored, ...wanted]).size === wanted.length;
  }

  /** Replaces the node's collectors. Call it in a transaction. */
  replace(certname: string, collectors: readonly CollectorRecord[], environment: string | null): void {
    this.delete(certname);
    const sql = 'INSERT INTO collector_keys (type, key, certname, query, environment) VALUES (?, ?, ?, ?, ?)';
    for (const [type, key, query] of listKeys(collectors)) {
      this.#database.run(sql, type, key, certname, query, environment);
    }
  }

  delete(certname: string): void {
    this.#database.run('DELETE FROM collector_keys WHERE certname = ?', certname);
  }

  list(type: string, keys: readonly string[], after: string | null): CollectorPage {
    // Written by this function.
    const place: Place = after === null ? { key: ALL, certname: '', query: '' } : JSON.parse(after);
    const collectors: StoredCollector[] = [];
    for (const key of [...new Set([ALL, ...keys])].sort()) {
      if (key < place.key) continue;
      const from = key === place.key ? place : { certname: '', query: '' };
      const rows = this.#database.selectAll(
        `SELECT * FROM collector_keys WHERE type = ? AND key = ? AND (certname, query) > (?, ?)
         ORDER BY certname, query LIMIT ?`,
        ...[type, key, from.certname, from.query],
        ROWS_A_PAGE - collectors.length,
      );
      collectors.push(...rows.map(collectorOf));
      const last = rows.at(-1);
      if (!last || collectors.length < ROWS_A_PAGE) continue;
      const next: Place = { key, certname: textOfColumn(last, 'certname'), query: textOfColumn(last, 'query') };
      return { collectors, next: JSON.stringify(next) };
    }
    return { collectors, next: null };
  }
}

/** Each key of each collector, once. */
function listKeys(
  collectors: readonly CollectorRecord[],
): readonly (readonly [type: string, key: string, query: string])[] {
  const rows = collectors.flatMap(({ type, query }) =>
    (findFilterKeys(query) ?? [ALL]).map((key) => [type, key, canonicalJson(query)] as const),
  );
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function collectorOf(row: Row): StoredCollector {
  const { environment } = row;
  return {
    certname: textOfColumn(row, 'certname'),
    type: textOfColumn(row, 'type'),
    query: jsonOfColumn<unknown>(row, 'query'),
    environment: typeof environment === 'string' ? environment : null,
  };
}
