import type { DatabaseSync } from 'node:sqlite';
import { StoreRefused } from '../ports/store-errors.ts';
import { canMigrate } from './migrate-schema.ts';
import { SCHEMA_VERSION } from './schema.ts';

/**
 * Returns whether the tables are this release's, absent, or older ones that `migrateSchema` brings
 * to it. Throws StoreRefused for another version.
 */
export function findSchemaState(connection: DatabaseSync, directory: string): 'current' | 'new' | 'older' {
  // One statement: another process may be creating the tables.
  const state = 'SELECT user_version, EXISTS (SELECT 1 FROM main.sqlite_schema) AS used FROM pragma_user_version';
  const { user_version: version, used } = connection.prepare(state).get() ?? {};
  if (version === SCHEMA_VERSION) return 'current';
  if (version === 0 && used === 0) return 'new';
  if (canMigrate(Number(version))) return 'older';
  const isNewer = Number(version) > SCHEMA_VERSION;
  throw new StoreRefused(
    `data directory '${directory}' was written by ${isNewer ? 'a newer' : 'an older'} release: its schema has version ${version}, and this release knows ${SCHEMA_VERSION}${isNewer ? '' : ' only: start with an empty data directory'}`,
  );
}

/** The definitions that SQLite keeps of the tables and indexes of a schema, by name. */
function listObjects(schema: string): ReadonlyMap<string, string> {
  const objects = new Map<string, string>();
  for (const statement of schema.split(';')) {
    const text = statement.trim().replace(' IF NOT EXISTS', '');
    const [, name] = /^CREATE (?:TABLE|INDEX) (\w+)/.exec(text) ?? [];
    if (name !== undefined) objects.set(name, text);
  }
  return objects;
}

/** The tables and indexes that the database has in another form, or not at all. */
export function findSchemaFaults(connection: DatabaseSync, schema: string): readonly string[] {
  const kept = new Map<unknown, unknown>();
  for (const { name, sql } of connection.prepare('SELECT name, sql FROM main.sqlite_schema').all()) kept.set(name, sql);
  return [...listObjects(schema)].flatMap(([name, text]) =>
    kept.get(name) === text ? [] : [`the definition of ${name} is another one`],
  );
}
