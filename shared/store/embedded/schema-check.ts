import type { DatabaseSync } from 'node:sqlite';

/** The definitions that SQLite keeps of the tables and indexes of a schema, by name. */
export function listObjects(schema: string): ReadonlyMap<string, string> {
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
