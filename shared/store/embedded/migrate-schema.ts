import type { DatabaseSync } from 'node:sqlite';
import { shortenFailure } from '../node-summary.ts';
import { shortenName } from '../short-texts.ts';
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

/** Versions of the tables that can be brought to this release's. */
const KNOWN = 3;

/** Whether tables of this version can be brought to this release's. */
export function canMigrate(version: number): boolean {
  return version === KNOWN && SCHEMA_VERSION === KNOWN + 1;
}

/**
 * Brings the tables of version 3 to version 4 in one transaction. The connection has the functions
 * of row digests; nothing checks the rows that are read, so `verify` comes before an upgrade.
 */
export function migrateSchema(connection: DatabaseSync): void {
  const deterministic = { deterministic: true } as const;
  connection.function('shorten_name', deterministic, (name) => shortenName(String(name)));
  connection.function('shorten_failure', deterministic, (text) =>
    text === null ? null : shortenFailure(String(text)),
  );
  connection.exec('BEGIN IMMEDIATE');
  try {
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
