import type { CollectorRecord } from '../../puppet/catalog/exported.ts';
import { findFilterKeys } from '../../puppet/compiler/export-keys.ts';
import { canonicalJson } from '../../util/digest.ts';
import type { CollectorPage, StoredCollector } from '../ports/export-store.ts';
import { shortenName } from '../short-texts.ts';
import { jsonOfColumn, type Row, type SqlConnection, textOfColumn, textOrNull } from './connection.ts';

const ROWS_A_PAGE = 1000;

/** The key of collectors that examine all exports of a type. */
const ALL = '';

/** Place in the list of all collectors of some keys. */
interface Place {
  readonly key: string;
  readonly certname: string;
  readonly query: string;
}

/** A collector under one of its keys. */
interface KeyedCollector {
  readonly type: string;
  readonly key: string;
  /** Its query, or the digest of a long one. */
  readonly query: string;
  /** The query when `query` is its digest. */
  readonly longQuery: string | null;
}

/** Whether these are the node's collectors already. */
export async function hasCollectors(
  on: SqlConnection,
  certname: string,
  collectors: readonly CollectorRecord[],
  environment: string | null,
): Promise<boolean> {
  const sql = 'SELECT type, key, query, environment FROM collector_keys WHERE certname = ?';
  const rows = await on.selectAll(sql, certname);
  const stored = rows.map(({ type, key, query, environment: place }) => JSON.stringify([type, key, query, place]));
  const wanted = listKeys(collectors).map(({ type, key, query }) => JSON.stringify([type, key, query, environment]));
  return stored.length === wanted.length && new Set([...stored, ...wanted]).size === wanted.length;
}

/** Replaces the node's collectors in a transaction. */
export async function replaceCollectors(
  on: SqlConnection,
  certname: string,
  collectors: readonly CollectorRecord[],
  environment: string | null,
): Promise<void> {
  await deleteCollectors(on, certname);
  const sql = `INSERT INTO collector_keys (type, key, certname, query, long_query, environment)
    VALUES (?, ?, ?, ?, ?, ?)`;
  for (const { type, key, query, longQuery } of listKeys(collectors)) {
    await on.run(sql, type, key, certname, query, longQuery, environment);
  }
}

export async function deleteCollectors(on: SqlConnection, certname: string): Promise<void> {
  await on.run('DELETE FROM collector_keys WHERE certname = ?', certname);
}

/** Lists the collectors with one of these keys, page by page. */
export async function listCollectorRows(
  on: SqlConnection,
  type: string,
  keys: readonly string[],
  after: string | null,
): Promise<CollectorPage> {
  // Written by this function.
  const place: Place = after === null ? { key: ALL, certname: '', query: '' } : JSON.parse(after);
  const collectors: StoredCollector[] = [];
  for (const key of [...new Set([ALL, ...keys.map(shortenName)])].sort()) {
    if (key < place.key) continue;
    const from = key === place.key ? place : { certname: '', query: '' };
    const rows = await on.selectAll(
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

/** Each key of each collector, once. */
function listKeys(collectors: readonly CollectorRecord[]): readonly KeyedCollector[] {
  const rows = collectors.flatMap(({ type, query }) => {
    const text = canonicalJson(query);
    const name = shortenName(text);
    const longQuery = name === text ? null : text;
    return (findFilterKeys(query) ?? [ALL]).map((key) => ({ type, key: shortenName(key), query: name, longQuery }));
  });
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function collectorOf(row: Row): StoredCollector {
  return {
    certname: textOfColumn(row, 'certname'),
    type: textOfColumn(row, 'type'),
    query: jsonOfColumn<unknown>(row, row.long_query === null ? 'query' : 'long_query'),
    environment: textOrNull(row.environment),
  };
}
