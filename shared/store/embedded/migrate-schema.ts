import type { DatabaseSync } from 'node:sqlite';
import { shortenFailure } from '../node-summary.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { shortenName } from '../short-texts.ts';
import { ROW_DIGEST } from './row-digests.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** A migration copies these tables; each gets new columns. */
const COPIES: readonly (readonly [table: string, from: string, columns: Readonly<Record<string, string>>])[] = [
  [
    'nodes',
    'nodes',
    {
      compiled_at: "json_extract(catalog, '$.compiledAt')",
      failure_text: "shorten_failure(json_extract(failure, '$.message'))",
      is_volatile: "coalesce(json_array_length(inputs, '$.volatile'), 0) > 0",
    },
  ],
  [
    'jobs',
    'jobs',
    { certname: "json_extract(job, '$.certname')", is_request: "json_extract(job, '$.request') IS NOT NULL" },
  ],
  [
    'collector_keys',
    'collector_keys',
    {
      key: 'shorten_name(key)',
      query: 'shorten_name(query)',
      long_query: 'CASE WHEN shorten_name(query) <> query THEN query END',
    },
  ],
  ['counters', 'ledger_counters', {}],
];

/** Long names of other tables, which are digests from version 4 on. */
const NAMES: readonly (readonly [table: string, column: string])[] = [
  ['exports', 'title'],
  ['export_keys', 'key'],
  ['export_keys', 'title'],
  ['dependency_owners', 'path'],
  ['dependency_parts', 'name'],
];

/**
 * Statements that bring tables to the version, whose rows are then copied. The names that they
 * change are those that 0.1.0 stored.
 */
const STEPS: ReadonlyMap<number, string> = new Map([
  [
    3,
    `ALTER TABLE nodes RENAME COLUMN told TO invalidated_for;
     UPDATE documents SET collection = replace(collection, 'notify-told/', 'notify-notified/')
       WHERE collection LIKE 'notify-told/%';`,
  ],
]);

/** The oldest tables that can be brought to this release's: those of 0.1.0. */
export const OLDEST_VERSION = 2;

/** Whether tables of this version can be brought to this release's. */
export function canMigrate(version: number): boolean {
  return version >= OLDEST_VERSION && version < SCHEMA_VERSION;
}

/**
 * Brings the tables of an earlier version to this one's in one transaction. The connection has the
 * functions of row digests. Throws StoreRefused for damaged rows, which would get new digests.
 */
export function migrateSchema(connection: DatabaseSync, directory: string): void {
  const deterministic = { deterministic: true } as const;
  connection.function('shorten_name', deterministic, (name) => shortenName(String(name)));
  connection.function('shorten_failure', deterministic, (text) =>
    text === null ? null : shortenFailure(String(text)),
  );
  connection.exec('BEGIN IMMEDIATE');
  try {
    assertUndamaged(connection, directory);
    const { user_version: before } = connection.prepare('PRAGMA user_version').get() ?? {};
    for (const [version, statements] of STEPS) if (version > Number(before)) connection.exec(statements);
    for (const [table, from, columns] of COPIES) copyTable(connection, table, from, columns);
    for (const [table, column] of NAMES) {
      connection.exec(
        `UPDATE ${table} SET ${column} = shorten_name(${column}) WHERE shorten_name(${column}) <> ${column}`,
      );
    }
    connection.exec(`DELETE FROM export_sums; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}

/** Checks each row of tables as they are. */
function assertUndamaged(connection: DatabaseSync, directory: string): void {
  const listColumns = connection.prepare('SELECT name, hidden FROM pragma_table_xinfo(?)');
  for (const { name } of connection.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'").all()) {
    const columns = listColumns.all(String(name));
    if (!columns.some((column) => column.name === ROW_DIGEST)) continue;
    const values = columns.filter(({ hidden }) => hidden === 0).map((column) => column.name);
    const digest = `${ROW_DIGEST}('${name}', ${values.join(', ')})`;
    const damaged = connection.prepare(`SELECT count(*) AS rows FROM ${name} WHERE ${ROW_DIGEST} <> ${digest}`).get();
    const count = Number(damaged?.rows);
    if (count === 0) continue;
    throw new StoreRefused(
      `data directory '${directory}': ${count === 1 ? 'a row' : `${count} rows`} of table ${name} cannot be trusted, its checksum is another one: run 'understudy verify --repair' of the release that wrote it, or restore a backup`,
    );
  }
}

function copyTable(
  connection: DatabaseSync,
  table: string,
  from: string,
  columns: Readonly<Record<string, string>>,
): void {
  connection.exec(`ALTER TABLE ${from} RENAME TO former_${from}`);
  for (const [name] of connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(`former_${from}`)
    .map((row) => [String(row.name)])) {
    connection.exec(`DROP INDEX ${name}`);
  }
  connection.exec(SCHEMA);
  const kept = connection
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(`former_${from}`)
    .map((row) => String(row.name))
    .filter((name) => !(name in columns));
  const names = [...kept, ...Object.keys(columns)];
  const values = [...kept, ...Object.values(columns)];
  connection.exec(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM former_${from}; DROP TABLE former_${from}`,
  );
}
