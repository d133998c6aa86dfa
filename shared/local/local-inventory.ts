import { resolve } from 'node:path';
import { type InventoryServer, startInventoryServer } from '../http/listener/inventory-server.ts';
import { answerInventory } from '../http/routes/inventory/inventory-app.ts';
import { CommandQueue } from '../inventory/commands/command-queue.ts';
import type { InventoryDatabase } from '../inventory/database/inventory-database.ts';
import { PgliteDatabase } from '../inventory/database/pglite-database.ts';
import { PostgresDatabase } from '../inventory/database/postgres-database.ts';
import { prepareSchema } from '../inventory/database/schema.ts';
import { InventoryReader } from '../inventory/query/inventory-reader.ts';
import type { Clock } from '../store/ports/clock.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

/** The inventory listens where only this machine reaches it: its API knows no identity. */
const LOOPBACK = '127.0.0.1';
/** A query may take a minute, as in PuppetDB; an answer of more rows is a mistake. */
const LIMITS = { timeMs: 60_000, rows: 5_000_000 };
/** The inventory's folder in the data directory. */
const FOLDER = 'inventory';

/** An inventory that runs. */
export interface LocalInventory extends InventoryServer {
  readonly database: InventoryDatabase;
}

/**
 * Starts the inventory and its listener; null unless the options ask for it. Throws ListenFailed,
 * and an error of a database that cannot be used.
 */
export async function startLocalInventory(
  options: LocalOptions,
  clock: Clock,
  log: LocalLog,
): Promise<LocalInventory | null> {
  const { puppetdbPort: port, puppetdbDatabase: url, data } = options;
  if (port === undefined) return null;
  const database = url === undefined ? new PgliteDatabase(resolve(data, FOLDER)) : new PostgresDatabase(url);
  const reportFault = (error: unknown) => log.logError('A request to the inventory failed', error);
  const onTrouble = (message: string) => log.logEntry(`inventory: ${message}`);
  const queue = new CommandQueue({ database, clock, onTrouble });
  try {
    await prepareSchema(database);
    const services = { reader: new InventoryReader(database, LIMITS), queue, clock, reportFault };
    const server = await startInventoryServer({
      answer: (request) => answerInventory(request, services),
      host: LOOPBACK,
      port,
      reportFailure: reportFault,
    });
    queue.start();
    return { port: server.port, database, close: (graceMs) => closeAll(server, queue, database, graceMs) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function closeAll(
  server: InventoryServer,
  queue: CommandQueue,
  database: InventoryDatabase,
  graceMs: number,
): Promise<void> {
  await server.close(graceMs);
  await queue.stop();
  await database.close();
}
