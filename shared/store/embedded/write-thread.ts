/**
 * The write thread of a data directory: its only connection that writes while the server runs. The
 * thread that starts it posts a port for each client, and null to stop it.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createTables } from '../sql/tables.ts';
import { EmbeddedDatabase } from './database.ts';
import type { WriteThreadData } from './threaded-stores.ts';
import { WriteServer } from './write-server.ts';

function run({ directory, visibilityMs, maxReceives }: WriteThreadData): void {
  const database = new EmbeddedDatabase(directory);
  const server = new WriteServer(database, createTables(database.transaction, { visibilityMs, maxReceives }));
  parentPort?.on('message', (client: MessagePort | null) => {
    if (client !== null) return server.serve(client);
    database.close();
    process.exit(0);
  });
}

run(workerData);
