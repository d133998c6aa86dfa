import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import type { InventoryResource } from './read-catalog.ts';
import { writeWireJson } from './wire-json.ts';

/** A resource with the identity of all that it holds. */
export interface KeyedResource extends InventoryResource {
  readonly hash: string;
}

/** Resources of one statement, so that its values stay below some megabytes. */
const PORTION = 500;

/** Adds the resources that no catalog had before; gives the numbers of all, by identity. */
export async function storeResources(
  connection: DatabaseConnection,
  resources: readonly KeyedResource[],
): Promise<ReadonlyMap<string, string>> {
  const known = await findResources(connection, resources);
  const missing = resources.filter(({ hash }) => !known.has(hash));
  if (missing.length === 0) return known;
  for (let at = 0; at < missing.length; at += PORTION) await insert(connection, missing.slice(at, at + PORTION));
  return new Map([...known, ...(await findResources(connection, missing))]);
}

async function findResources(
  connection: DatabaseConnection,
  resources: readonly KeyedResource[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = bindTexts(resources.map(({ hash }) => `\\x${hash}`));
  const rows = await connection.run(
    sql`select encode(hash, 'hex'), id from resources where hash = any(${hashes}::bytea[])`.render(),
  );
  return new Map(rows.map(([hash, id]) => [String(hash), String(id)]));
}

async function insert(connection: DatabaseConnection, resources: readonly KeyedResource[]): Promise<void> {
  await connection.run(
    sql`insert into resources (hash, type, title, tags, exported, file, line, parameters)
      select decode(given.hash, 'hex'), given.type, given.title,
        array(select jsonb_array_elements_text(given.tags)), given.exported, given.file, given.line, given.parameters
      from jsonb_to_recordset(${bind(writeWireJson(resources), 'jsonb')}) given (hash text, type text, title text,
        tags jsonb, exported boolean, file text, line integer, parameters jsonb)
      on conflict (hash) do nothing`.render(),
  );
}
