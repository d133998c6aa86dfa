import type { DatabaseConnection, DatabaseTask } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import { listFactPaths } from './fact-path-list.ts';
import { requireMap } from './payload.ts';
import { readWireJson } from './wire-json.ts';

/** Factsets that are read at a time. */
const PAGE = 100;

/**
 * Deletes the paths of facts that no node has any more; returns their number. Nodes with the same
 * paths share a hash of them, so the facts of one node for each hash are read.
 */
export async function deleteUnusedPaths(connection: DatabaseConnection, _: null): Promise<number> {
  // Whoever adds a path waits until the unused ones are gone.
  await connection.run({ text: 'lock table fact_paths in exclusive mode', values: [] });
  const used = new Set<string>();
  for (let after: string | null = ''; after !== null; ) after = await addPaths(connection, after, used);
  const rows = await connection.run({ text: 'select id, path, value_type from fact_paths', values: [] });
  const unused = rows.filter(([, path, type]) => !used.has(`${path} ${type}`)).map(([id]) => String(id));
  await connection.run(sql`delete from fact_paths where id = any(${bindTexts(unused)}::int[])`.render());
  return unused.length;
}

/** `deleteUnusedPaths` as a task. */
export const DELETE_UNUSED_PATHS: DatabaseTask<null, number> = {
  module: import.meta.url,
  name: 'deleteUnusedPaths',
  run: deleteUnusedPaths,
};

/** Adds the paths of the hashes after `after`; returns the last one, null at the end. */
async function addPaths(connection: DatabaseConnection, after: string, used: Set<string>): Promise<string | null> {
  const rows = await connection.run(
    sql`select distinct on (paths_hash) paths_hash, stable, volatile from factsets
      where paths_hash > ${bind(after)} order by paths_hash limit ${bind(String(PAGE), 'int')}`.render(),
  );
  for (const [, ...documents] of rows) {
    for (const document of documents) {
      const facts = requireMap(readWireJson(document ?? '{}'), 'the stored facts');
      for (const { path, type } of listFactPaths(facts)) used.add(`${path} ${type}`);
    }
  }
  return rows.length < PAGE ? null : String(rows.at(-1)?.[0]);
}
