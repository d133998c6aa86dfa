import { createHash } from 'node:crypto';
import { PREFIXES } from '../config/deployment.ts';
import { unobserved, type WorkObserver } from '../util/work-observer.ts';
import { listPages } from './list-pages.ts';
import type { BlobStore } from './ports/blob-store.ts';
import { StoreRefused, StoreUnavailable } from './ports/store-errors.ts';
import type { Row, SqlConnection, SqlValue } from './sql/connection.ts';
import { listTables, STORE_TABLES, type StoredTable } from './sql/schema.ts';

/** A place of the stores' tables and blobs. */
export interface CopyPlace {
  readonly database: SqlConnection;
  readonly blobs: BlobStore;
  /** The name of the place, for messages. */
  readonly name: string;
}

/** The numbers of what was copied, and what was not. */
interface CopyReport {
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  /** The keys of damaged blobs of the source: each counts as missing there, too. */
  readonly damaged: readonly string[];
}

const ROWS_A_PAGE = 200;
/** Readers of changes begin with a pass over all nodes, as new ones do. */
const LEFT_OUT = new Set(['node_changes', 'change_consumers']);
/** Tables whose rows the database numbers. */
const IDS = new Set(['jobs', 'export_changes', 'dependency_leavings']);

/**
 * Copies all tables and blobs to an empty place, and compares both. No server may use one of them
 * meanwhile. Throws StoreRefused when the target is not empty, or got something else. When it
 * throws later than that, the error says that a part of the copy is there.
 */
export async function copyStores(
  from: CopyPlace,
  to: CopyPlace,
  observe: WorkObserver = unobserved,
): Promise<CopyReport> {
  const tables = listTables(STORE_TABLES).filter(({ name }) => !LEFT_OUT.has(name));
  for (const { name } of tables) await assertEmpty(to, name);
  try {
    return await copyAll(from, to, tables, observe);
  } catch (error) {
    if (!(error instanceof StoreRefused || error instanceof StoreUnavailable)) throw error;
    throw new StoreRefused(`${error.message}; ${to.name} has a part of the copy: empty it before the next try`, error);
  }
}

async function copyAll(
  from: CopyPlace,
  to: CopyPlace,
  tables: readonly StoredTable[],
  observe: WorkObserver,
): Promise<CopyReport> {
  const all = await countRows(from.database, tables);
  let rows = 0;
  for (const table of tables) {
    for await (const count of copyTable(from, to, table)) {
      rows += count;
      observe('copying rows', rows, all);
    }
  }
  const allBlobs = await countBlobs(from.blobs);
  let [blobs, bytes] = [0, 0];
  const damaged: string[] = [];
  for (const prefix of Object.values(PREFIXES)) {
    for await (const { key, size } of copyBlobs(from.blobs, to, prefix)) {
      if (size === null) damaged.push(key);
      else [blobs, bytes] = [blobs + 1, bytes + size];
      observe('copying blobs', blobs + damaged.length, allBlobs);
    }
  }
  for (const [index, table] of tables.entries()) {
    observe('comparing tables', index, tables.length);
    const [here, there] = [await digestTable(from.database, table), await digestTable(to.database, table)];
    if (here !== there) throw new StoreRefused(`table ${table.name} of ${to.name} is not that of ${from.name}`);
  }
  return { rows, blobs, bytes, damaged };
}

async function countRows(database: SqlConnection, tables: readonly StoredTable[]): Promise<number> {
  let count = 0;
  for (const { name } of tables) count += Number((await database.get(`SELECT COUNT(*) AS n FROM ${name}`))?.n);
  return count;
}

async function countBlobs(blobs: BlobStore): Promise<number> {
  let count = 0;
  for (const prefix of Object.values(PREFIXES)) {
    for await (const entries of listPages(blobs, prefix)) count += entries.length;
  }
  return count;
}

async function assertEmpty({ database, name }: CopyPlace, table: string): Promise<void> {
  const row = await database.get(`SELECT 1 AS one FROM ${table} LIMIT 1`);
  if (row !== null) throw new StoreRefused(`${name} is not empty: table ${table} has rows`);
}

/** Yields the number of rows after each page. */
async function* copyTable(from: CopyPlace, to: CopyPlace, table: StoredTable): AsyncIterable<number> {
  for await (const rows of pagesOf(from.database, table)) {
    const places = rows.map(() => `(${table.columns.map(() => '?').join(', ')})`);
    const sql = `INSERT INTO ${table.name} (${table.columns.join(', ')}) VALUES ${places.join(', ')}`;
    await to.database.run(sql, ...rows.flatMap((row) => valuesOf(row, table)));
    yield rows.length;
  }
  const continued = to.database.dialect.continueIds(table.name, table.key[0] ?? '');
  if (continued !== null && IDS.has(table.name)) await to.database.get(continued);
}

async function* pagesOf(database: SqlConnection, { name, columns, key }: StoredTable): AsyncIterable<readonly Row[]> {
  const list = `(${key.join(', ')})`;
  let after: readonly SqlValue[] = [];
  for (;;) {
    const later = after.length === 0 ? '' : `WHERE ${list} > (${key.map(() => '?').join(', ')})`;
    const sql = `SELECT ${columns.join(', ')} FROM ${name} ${later} ORDER BY ${key.join(', ')} LIMIT ${ROWS_A_PAGE}`;
    const rows = await database.selectAll(sql, ...after);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = key.map((column) => last[column] ?? null);
  }
}

function valuesOf(row: Row, { columns }: StoredTable): readonly SqlValue[] {
  return columns.map((column) => row[column] ?? null);
}

async function digestTable(database: SqlConnection, table: StoredTable): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of pagesOf(database, table)) {
    for (const row of rows) hash.update(`${JSON.stringify(valuesOf(row, table))}\n`);
  }
  return hash.digest('hex');
}

/** Yields each blob with its bytes; null: it is damaged, since nobody deletes one meanwhile. */
async function* copyBlobs(
  from: BlobStore,
  { blobs: to, name }: CopyPlace,
  prefix: string,
): AsyncIterable<{ readonly key: string; readonly size: number | null }> {
  for await (const entries of listPages(from, prefix)) {
    for (const { key } of entries) {
      const bytes = await from.get(key);
      if (bytes !== null) {
        await to.put(key, bytes);
        const copy = await to.get(key);
        if (copy === null || Buffer.compare(copy, bytes) !== 0) {
          throw new StoreRefused(`blob ${key} of ${name} is not what was written`);
        }
      }
      yield { key, size: bytes?.length ?? null };
    }
  }
}
