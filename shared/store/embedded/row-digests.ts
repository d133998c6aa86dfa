/**
 * The checksums of the database's rows. A stored generated column has that of all other columns,
 * so no statement mentions it. Statements read through views that check it, and triggers check a
 * row before it is changed or deleted: a damaged row never gets the checksum of what it became.
 * Views and triggers are those of a connection; other programs can read the tables as they are.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { DamagedRowError } from '../sql/connection.ts';
import { listTables, type StoredTable, TABLE_DEFINITION } from '../sql/schema.ts';
import { noteDamage } from './damage/damage-log.ts';

/** The column, and the SQL function that computes it of the table's name and all other columns. */
export const ROW_DIGEST = 'row_digest';
/** The SQL function that compares it. */
const CHECK = 'check_row';
const WRITE = /^\s*(?:(?:INSERT|REPLACE)(?: OR \w+)? INTO|UPDATE|DELETE FROM) (?=\w)/;
const SHOWN_KEY = 200;

/** A row whose checksum is that of other values. */
export interface DamagedRow {
  readonly table: string;
  readonly key: string;
}

/** Adds the column of checksums to each table of a schema. */
export function addRowDigests(schema: string): string {
  const tables = new Map(listTables(schema).map((table) => [table.name, table]));
  return schema.replace(TABLE_DEFINITION, (_, name: string, body: string, key = '') => {
    const digest = `${ROW_DIGEST} INTEGER NOT NULL AS (${callDigest(tables.get(name))}) STORED`;
    return `CREATE TABLE IF NOT EXISTS ${name} (${body},\n  ${digest}${key}\n) STRICT`;
  });
}

function callDigest(table: StoredTable | undefined): string {
  return `${ROW_DIGEST}('${table?.name}', ${table?.columns.join(', ')})`;
}

/** Makes the SQL functions known to a connection. Each that writes needs them. */
export function registerDigests(connection: DatabaseSync, directory: string, tables: readonly StoredTable[]): void {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true } as const;
  const shapes = new Map(tables.map((table) => [table.name, table]));
  connection.function(ROW_DIGEST, options, computeDigest);
  connection.function(CHECK, options, (digest: SQLOutputValue, ...values: SQLOutputValue[]) => {
    if (digest !== null && BigInt(computeDigest(...values)) === digest) return 1;
    const row = nameRow(shapes, values);
    noteDamage(directory, { kind: 'row', name: `${row.key} of table ${row.table}` });
    const { key, table } = row;
    const what = `data directory '${directory}': the row ${key} of table ${table} is damaged: see 'understudy verify'`;
    throw new DamagedRowError(what, table);
  });
}

/** CRC-32 of a table's name and the values of a row, each with its type and length. */
function computeDigest(...values: SQLOutputValue[]): number {
  let text = '';
  for (const value of values) {
    if (typeof value === 'string') text += `t${value.length}:${value}`;
    else if (value === null) text += 'n';
    else text += ArrayBuffer.isView(value) ? `b${Buffer.from(value).toString('hex')}` : `i${value}`;
  }
  return crc32(text);
}

function nameRow(shapes: ReadonlyMap<string, StoredTable>, [table, ...values]: readonly SQLOutputValue[]): DamagedRow {
  const shape = shapes.get(String(table));
  const key = shape?.key.map((column) => values[shape.columns.indexOf(column)] ?? null) ?? [];
  return { table: String(table), key: showKey(key) };
}

function showKey(values: readonly SQLOutputValue[]): string {
  return `'${values.map(String).join(', ').slice(0, SHOWN_KEY)}'`;
}

/**
 * Lets the statements of a connection, as `qualifyWrites` returns them, check what they read.
 * SQLite replaces a column by the constant that a condition compares it with. It evaluates
 * conditions with a correlated subquery last, so that constants are the row's own values then.
 */
export function checkReads(connection: DatabaseSync, tables: readonly StoredTable[]): void {
  const statements = tables.map(({ name, columns }) => {
    const list = columns.join(', ');
    return `
      CREATE TEMP VIEW ${name} AS SELECT ${list} FROM main.${name}
        WHERE ${CHECK}((SELECT ${name}.${ROW_DIGEST}), '${name}', ${list});`;
  });
  const triggers = tables.flatMap((table) => [checkBefore('UPDATE', table), checkBefore('DELETE', table)]);
  connection.exec(`PRAGMA temp_store = MEMORY; ${[...statements, ...triggers].join('')}`);
}

function checkBefore(change: 'UPDATE' | 'DELETE', { name, columns }: StoredTable): string {
  const old = columns.map((column) => `OLD.${column}`).join(', ');
  return `
      CREATE TEMP TRIGGER ${name}_${change} BEFORE ${change} ON main.${name}
        BEGIN SELECT ${CHECK}(OLD.${ROW_DIGEST}, '${name}', ${old}); END;`;
}

/** Deletes the damaged rows of a table whose statements `checkReads` lets check what they read. */
export function dropDamagedRows(connection: DatabaseSync, table: StoredTable): number {
  connection.exec(`DROP TRIGGER temp.${table.name}_DELETE`);
  try {
    return deleteDamagedRows(connection, table);
  } finally {
    connection.exec(checkBefore('DELETE', table));
  }
}

/** Directs a statement that writes to the table itself: its name is that of a view. */
export function qualifyWrites(sql: string): string {
  return sql.replace(WRITE, '$&main.');
}

/** Rows whose checksums are not those of their values; at most `limit` of a table. */
export function findDamagedRows(
  connection: DatabaseSync,
  tables: readonly StoredTable[],
  limit: number,
): readonly DamagedRow[] {
  return tables.flatMap((table) => {
    const rows = connection.prepare(`SELECT ${table.key.join(', ')} ${selectDamaged(table)} LIMIT ?`).all(limit);
    return rows.map((row) => ({ table: table.name, key: showKey(Object.values(row)) }));
  });
}

/** Deletes the damaged rows of a table; returns their number. */
export function deleteDamagedRows(connection: DatabaseSync, table: StoredTable): number {
  return Number(connection.prepare(`DELETE ${selectDamaged(table)}`).run().changes);
}

function selectDamaged(table: StoredTable): string {
  return `FROM main.${table.name} WHERE ${ROW_DIGEST} IS NOT ${callDigest(table)}`;
}
