import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import type { LoadAssets } from '../http/console/console-files.ts';
import { startConsoleServer } from '../http/console/console-server.ts';
import { forgetAssets, shareAssets } from '../http/console/kept-assets.ts';
import type { FrontDoor } from '../http/front-door.ts';
import type { EdgeServer } from '../http/listener/edge-server.ts';
import type { FetchApp } from '../http/listener/node-listener.ts';
import { createInventoryTlsApp } from '../http/operator/inventory-tls-app.ts';
import { ListenFailed } from '../util/listening.ts';
import type { LocalInventory } from './local-inventory.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

interface ConsoleParts {
  readonly log: LocalLog;
  readonly stores: Pick<ServerStores, 'blobs' | 'clock' | 'shared'>;
  readonly door: Pick<FrontDoor, 'access' | 'isRevoked' | 'trusted' | 'operatorApi'>;
  readonly credentials: ServerCredentials;
  /** Users, roles, tokens and node groups. */
  readonly accessApp: FetchApp;
  /** Null without an orchestrator. */
  readonly orchestratorApp: FetchApp | null;
  /** Null without an inventory. */
  readonly inventory: Pick<LocalInventory, 'services'> | null;
  readonly loadAssets: LoadAssets;
}

/**
 * Starts the console's door beside the front door, with its certificate. Null when it is switched
 * off, or when the default port is in use, which is logged. Throws ListenFailed for a port that the
 * operator named.
 */
export async function startLocalConsole(options: LocalOptions, parts: ConsoleParts): Promise<EdgeServer | null> {
  const { host, consolePort: port, named } = options;
  if (port === 'off') return null;
  const { stores, log } = parts;
  try {
    return await startConsoleServer({
      ...parts,
      ...describeAssets(parts),
      host,
      port,
      clock: stores.clock,
      inventoryApp: inventoryApp(parts),
      inventoryAbsence: 'This server runs without an inventory: start it with --puppetdb-port',
    });
  } catch (error) {
    if (named.has('consolePort') || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no console (--console-port)', error);
    return null;
  }
}

/** Servers of two releases stand behind one balancer while one takes the place of the other. */
function describeAssets({ stores, loadAssets, log }: ConsoleParts) {
  if (stores.shared === null) return {};
  forgetAssets(stores).catch((error: unknown) => log.logError('Old files of the console were not deleted', error));
  return shareAssets({ stores, loadAssets, log });
}

function inventoryApp({ inventory, door, log }: ConsoleParts): FetchApp | null {
  if (inventory === null) return null;
  const { access, isRevoked } = door;
  // No certificate is on the list: only tokens count here.
  const allowedCertnames: ReadonlySet<string> = new Set();
  return createInventoryTlsApp({ ...inventory.services, access, isRevoked, allowedCertnames, log });
}
