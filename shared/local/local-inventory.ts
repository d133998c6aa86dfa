import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { readAllowList } from '../access/accounts/allow-list.ts';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { CONNECTIONS } from '../config/connections.ts';
import { INVENTORY_FOLDER } from '../config/inventory.ts';
import { exportTiming } from '../fleet/compiles/export-interval.ts';
import type { InventoryHttpRequest } from '../http/exchange/inventory-exchange.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../http/listener/edge-server.ts';
import { startInventoryServer } from '../http/listener/inventory-server.ts';
import { createInventoryTlsApp, type InventoryTlsServices } from '../http/operator/inventory-tls-app.ts';
import { answerInventory } from '../http/routes/inventory/inventory-app.ts';
import { invalidateQueryWatchers, type WatchPorts } from '../inventory/answers/invalidate-watchers.ts';
import { QueryAnswers } from '../inventory/answers/query-answers.ts';
import { createAdministration } from '../inventory/commands/administration.ts';
import { CommandQueue } from '../inventory/commands/command-queue.ts';
import {
  type InventoryRetention,
  MAINTENANCE_MS,
  maintainInventory,
  nextMaintenance,
} from '../inventory/commands/maintenance.ts';
import { readChecksumState } from '../inventory/database/checksum-state.ts';
import { DatabaseError, type InventoryDatabase } from '../inventory/database/inventory-database.ts';
import { describeInventoryDamage, PgliteDatabase } from '../inventory/database/pglite-database.ts';
import { PostgresServer } from '../inventory/database/postgres-server.ts';
import { prepareSchema } from '../inventory/database/schema.ts';
import { InventoryFeed } from '../inventory/feed/inventory-feed.ts';
import { keepPassing } from '../inventory/feed/scheduled-pass.ts';
import { inventoryRetentionOf, queryLimitsOf } from '../inventory/inventory-settings.ts';
import { InventoryReader } from '../inventory/query/inventory-reader.ts';
import { type InventoryCommands, QueuedCommands } from '../orchestrator/jobs/inventory-commands.ts';
import { keepFollowing } from '../store/follow-changes.ts';
import type { Stores } from '../store/ports/stores.ts';
import { serveInventory } from './inventory-bridge.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

/** The inventory listens where only this machine reaches it: its API knows no identity. */
const LOOPBACK = '127.0.0.1';

/** An inventory that runs. */
export interface LocalInventory {
  readonly reader: InventoryReader;
  /** Takes commands of plans. */
  readonly commands: InventoryCommands;
  /** Services of its API. */
  readonly services: Pick<InventoryTlsServices, 'answer' | 'clock' | 'reportFault'>;
  /** The port without TLS on loopback; null without it. */
  readonly port: number | null;
  /** Opens a way to its answers for a compile worker's thread. */
  connect(): MessagePort;
  /** Stops all; requests in progress get `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Whether the options ask for an inventory. */
export function hasInventory({ puppetdbPort, puppetdbTlsPort }: LocalOptions): boolean {
  return puppetdbPort !== undefined || puppetdbTlsPort !== undefined;
}

/**
 * Starts the inventory and its listener on loopback; null unless the options ask for one of its
 * ports. Throws ListenFailed, and an error of a database that cannot be used.
 */
export async function startLocalInventory(
  options: LocalOptions,
  hostname: string,
  stores: ServerStores,
  log: LocalLog,
): Promise<LocalInventory | null> {
  const { clock } = stores;
  const { puppetdbPort: port, puppetdbDatabase: url, data } = options;
  if (!hasInventory(options)) return null;
  const limits = queryLimitsOf(options);
  const database =
    url === undefined ? new PgliteDatabase(resolve(data, INVENTORY_FOLDER), limits.megabytes) : new PostgresServer(url);
  const reportFault = (error: unknown) => log.logError('A request to the inventory failed', error);
  const onTrouble = (message: string) => log.logEntry(`inventory: ${message}`);
  const blockedFacts = options.puppetdbBlockedFacts ?? [];
  const queue = new CommandQueue({ database, clock, blockedFacts, onTrouble });
  try {
    const identity = await prepareSchema(database).catch((error: unknown) => {
      const isDamage = url === undefined && error instanceof DatabaseError && error.isFault;
      throw isDamage ? describeInventoryDamage(`in '${resolve(data, INVENTORY_FOLDER)}'`, error) : error;
    });
    if (!(await readChecksumState(database)).isOn) {
      log.logEntry(
        'inventory: its PostgreSQL has no data checksums (see pg_checksums): it does not find damaged pages',
      );
    }
    const reader = new InventoryReader(database, limits);
    const answers = new QueryAnswers(database);
    const retention = inventoryRetentionOf(options);
    const administration = createAdministration({ database, retention, now: () => clock.now() });
    const answering = { reader, queue, clock, administration, reportFault };
    const answer = (request: InventoryHttpRequest) => answerInventory(request, answering);
    const services = { answer, clock, reportFault };
    const server =
      port === undefined
        ? null
        : await startInventoryServer({ answer, host: LOOPBACK, port, clock, reportFailure: reportFault });
    queue.start();
    const stopping = new AbortController();
    const feed = new InventoryFeed({
      stores,
      database,
      identity,
      producer: hostname,
      idleMs: retention.nodeMs,
      blockedFacts,
      onTrouble,
    });
    const failFeed = (error: unknown) => log.logError('The inventory was not fed', error);
    const background = stores.lead('inventory', stopping.signal, (signal) =>
      Promise.all([
        keepFollowing(stores.nodeChanges, feed, clock, signal, failFeed),
        keepPassing(stores, feed, signal, failFeed),
        keepMaintaining(database, retention, stores, log, signal),
        keepInvalidating({ stores, database, answers, timing: exportTiming(options) }, log, signal),
      ]),
    );
    const close = async (graceMs: number) => {
      stopping.abort();
      await Promise.all([server?.close(graceMs), queue.stop(), background]);
      await database.close();
    };
    return {
      port: server?.port ?? null,
      reader,
      commands: new QueuedCommands(queue),
      services,
      connect: () => openWay(answers),
      close,
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface InventoryTlsParts {
  readonly stores: Pick<Stores, 'clock'>;
  readonly log: LocalLog;
  readonly door: Pick<FrontDoor, 'access' | 'isRevoked' | 'trusted'>;
  readonly credentials: ServerCredentials;
}

/**
 * Starts the inventory's listener with TLS, for clients with a certificate or a token; null unless
 * the options ask for it. Throws ListenFailed.
 */
export async function startInventoryTls(
  { puppetdbTlsPort: port, puppetdbAllowList: list, host }: LocalOptions,
  inventory: Pick<LocalInventory, 'services'> | null,
  { stores, log, door, credentials }: InventoryTlsParts,
): Promise<EdgeServer | null> {
  if (port === undefined || inventory === null) return null;
  const allowedCertnames = list === undefined ? null : readAllowList(readFileSync(list, 'utf8'));
  if (allowedCertnames === null) {
    log.logEntry('inventory: every certificate of the CA may read and send (see --puppetdb-allow-list)');
  }
  const { access, isRevoked, trusted } = door;
  return startEdgeServer({
    app: createInventoryTlsApp({ ...inventory.services, access, isRevoked, allowedCertnames, log }),
    credentials,
    trusted,
    host,
    port,
    clock: stores.clock,
    connections: CONNECTIONS.inventoryTls,
    reportFailure: (error) => log.logError('A connection failed', error),
  });
}

/** Milliseconds between two looks at what changed for the queries of manifests. */
const ANSWERS_PAUSE_MS = 5_000;

/**
 * Invalidates nodes of changed answers until the signal. The pass after one that failed repeats it.
 */
async function keepInvalidating(ports: WatchPorts, log: LocalLog, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await invalidateQueryWatchers(ports).catch((error: unknown) =>
      log.logError('Nodes of changed answers were not invalidated', error),
    );
    await ports.stores.clock.sleep(ANSWERS_PAUSE_MS, signal);
  }
}

function openWay(answers: QueryAnswers): MessagePort {
  const { port1, port2 } = new MessageChannel();
  serveInventory(port1, answers);
  return port2;
}

/** Deletes what is old once an hour, until the signal; failures are logged. */
async function keepMaintaining(
  database: InventoryDatabase,
  retention: InventoryRetention,
  { clock }: Stores,
  log: LocalLog,
  signal: AbortSignal,
): Promise<void> {
  const fail = (error: unknown) => log.logError('The inventory could not be cleaned', error);
  while (!signal.aborted) {
    const due = await nextMaintenance(database, clock.now()).catch((error: unknown) => {
      fail(error);
      return clock.now() + MAINTENANCE_MS;
    });
    await clock.sleep(Math.max(0, due - clock.now()), signal);
    if (!signal.aborted) await maintainInventory(database, retention, clock.now()).catch(fail);
  }
}
