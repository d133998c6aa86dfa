import { threadId } from 'node:worker_threads';
import type { DatabaseConnection, DatabaseTask } from '../../shared/inventory/database/inventory-database.ts';
import { bind, sql } from '../../shared/inventory/database/sql.ts';

/** Adds a node in the database's thread, or fails after that. Returns the thread's id. */
export async function addNode(
  connection: DatabaseConnection,
  { certname, failure }: { readonly certname: string; readonly failure?: string },
): Promise<number> {
  await connection.run(sql`insert into certnames (certname) values (${bind(certname)})`.render());
  if (failure === 'error') throw new TypeError('failed by itself');
  if (failure === 'database') await connection.run({ text: 'select nothing', values: [] });
  return threadId;
}

export const ADD_NODE: DatabaseTask<{ readonly certname: string; readonly failure?: string }, number> = {
  module: import.meta.url,
  name: 'addNode',
  run: addNode,
};
