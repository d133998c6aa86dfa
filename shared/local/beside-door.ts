import { readFileSync } from 'node:fs';
import { Authorization } from '../access/authorization/authorization.ts';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { ORCHESTRATOR } from '../config/orchestrator.ts';
import type { LoadAssets } from '../http/console/console-files.ts';
import { startConsoleServer } from '../http/console/console-server.ts';
import { forgetAssets, shareAssets } from '../http/console/kept-assets.ts';
import type { FrontDoor } from '../http/front-door.ts';
import type { EdgeServer } from '../http/listener/edge-server.ts';
import type { FetchApp } from '../http/listener/node-listener.ts';
import { createInventoryTlsApp } from '../http/operator/inventory-tls-app.ts';
import { acceptRateOf } from '../orchestrator/broker/accept-gate.ts';
import {
  type BrokerServer,
  type BrokerServerOptions,
  startBrokerServer,
} from '../orchestrator/broker/broker-server.ts';
import { MessagePolicy } from '../orchestrator/broker/message-policy.ts';
import { STANDARD_POLICY } from '../orchestrator/broker/standard-policy.ts';
import type { StartPlanThread } from '../orchestrator/plan-runs/plan-thread.ts';
import { ORCHESTRATOR_TYPE } from '../orchestrator/pxp/broker-gateway.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import { ListenFailed } from '../util/listening.ts';
import { createLocalAccessApp, startLocalAccess } from './local-access.ts';
import { type ForwarderParts, startLocalAlerts, startLocalForwarder, startLocalReports } from './local-forwarder.ts';
import { type LocalInventory, startInventoryTls } from './local-inventory.ts';
import type { LocalLog } from './local-log.ts';
import { startLocalOrchestrator } from './local-orchestrator.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

interface DoorParts extends Omit<ForwarderParts, 'door'> {
  readonly vault: KeyVault;
  /** Null without an inventory. */
  readonly inventory: LocalInventory | null;
  readonly door: FrontDoor;
  readonly mostSockets: number;
  /** Null: no plan is run. */
  readonly startPlanThread: StartPlanThread | null;
  readonly frontDoorPort: number;
  /** The files of the console's client. */
  readonly loadConsole: LoadAssets;
}

/** Listeners beside the front door; the port of an absent one is null. */
export interface BesideDoor {
  readonly pcpPort: number | null;
  readonly accessPort: number | null;
  readonly orchestratorPort: number | null;
  /** The inventory's port with TLS. */
  readonly puppetdbTlsPort: number | null;
  readonly consolePort: number | null;
  close(graceMs: number): Promise<void>;
}

/**
 * Starts the PCP broker, the access API, the inventory's port with TLS, what sends changes to a
 * PuppetDB and reports elsewhere, the orchestrator, and the console's door. Throws ListenFailed.
 */
export async function startBesideDoor(options: LocalOptions, parts: DoorParts): Promise<BesideDoor> {
  const { stores, log, door, credentials } = parts;
  const closers: ((graceMs: number) => Promise<void>)[] = [];
  // The last that started ends first: jobs send no more when the broker closes.
  const close = async (graceMs: number) => {
    for (const end of closers.toReversed()) await end(graceMs);
  };
  try {
    const broker = await startLocalBroker(options, parts);
    if (broker !== null) closers.push((graceMs) => broker.stop(graceMs));
    const accessApp = createLocalAccessApp(stores, door, log);
    const access = await startLocalAccess(options, { stores, log, door, credentials, app: accessApp });
    if (access !== null) closers.push((graceMs) => access.close(graceMs));
    const inventoryTls = await startInventoryTls(options, parts.inventory, parts);
    if (inventoryTls !== null) closers.push((graceMs) => inventoryTls.close(graceMs));
    const forwarder = startLocalForwarder(options, parts);
    closers.push(() => forwarder.close());
    const reports = startLocalReports(options, parts);
    closers.push(() => reports.close());
    const alerts = startLocalAlerts(options, parts);
    closers.push(() => alerts.close());
    const reading = {
      broker: broker?.broker ?? null,
      inventory: parts.inventory?.reader ?? null,
      inventoryCommands: parts.inventory?.commands ?? null,
    };
    const orchestrator = await startLocalOrchestrator(options, { ...parts, ...reading });
    if (orchestrator !== null) closers.push((graceMs) => orchestrator.close(graceMs));
    const consoleDoor = await startLocalConsole(options, {
      ...parts,
      accessApp,
      orchestratorApp: orchestrator?.app ?? null,
      loadAssets: parts.loadConsole,
    });
    if (consoleDoor !== null) closers.push((graceMs) => consoleDoor.close(graceMs));
    return {
      pcpPort: broker?.port ?? null,
      accessPort: access?.port ?? null,
      orchestratorPort: orchestrator?.port ?? null,
      puppetdbTlsPort: inventoryTls?.port ?? null,
      consolePort: consoleDoor?.port ?? null,
      close,
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}

interface BrokerParts {
  readonly stores: Pick<ServerStores, 'documents' | 'clock' | 'shared' | 'doorbell'>;
  readonly log: LocalLog;
  readonly door: Pick<FrontDoor, 'readRevocations' | 'trusted'>;
  readonly credentials: ServerCredentials;
  /** Most connections at a time; more are refused before TLS. */
  readonly mostSockets: number;
  /** The certname of the server. */
  readonly server: string;
}

/** After a quiet time, handshakes of so many seconds may begin at once. */
const BURST_SECONDS = 3;

/**
 * Starts the PCP broker beside the front door, with its certificates. Null when it is switched off,
 * or when the default port is in use, which is logged. Throws ListenFailed for a port that the
 * operator named.
 */
async function startLocalBroker(options: LocalOptions, parts: BrokerParts): Promise<BrokerServer | null> {
  const { host, pcpPort: port, named, pcpHandshakesPerSecond } = options;
  if (port === 'off') return null;
  const { stores, log, door, credentials, mostSockets, server } = parts;
  const policy = policyOf(options);
  try {
    return await startBrokerServer({
      host,
      port,
      credentials: { ...credentials, trusted: door.trusted },
      readRevocations: door.readRevocations,
      policy,
      clock: stores.clock,
      // It shares its core with the front door, so it accepts fewer handshakes than alone.
      acceptRate: acceptRateOf(pcpHandshakesPerSecond, BURST_SECONDS),
      mostSockets,
      ...describeSite(stores, server),
      reportFailure: (message, cause) => log.logError(message, cause),
    });
  } catch (error) {
    if (named.has('pcpPort') || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no PCP broker (--pcp-port)', error);
    return null;
  }
}

/** Servers that share their stores are brokers of one site, whose balancer moves agents. */
function describeSite(
  stores: BrokerParts['stores'],
  server: string,
): Pick<BrokerServerOptions, 'site' | 'reservedPrefix'> {
  const { shared } = stores;
  if (shared === null) return {};
  const site = { stores, instance: shared.instance, pace: ORCHESTRATOR.mail, isBalanced: true };
  return { site, reservedPrefix: `pcp://${server}/${ORCHESTRATOR_TYPE}` };
}

function policyOf({ pcpPolicy: file }: LocalOptions): MessagePolicy {
  return file === undefined ? STANDARD_POLICY : new MessagePolicy(Authorization.read(readFileSync(file, 'utf8'), file));
}

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
async function startLocalConsole(options: LocalOptions, parts: ConsoleParts): Promise<EdgeServer | null> {
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
