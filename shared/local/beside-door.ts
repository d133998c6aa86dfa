import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import type { LoadAssets } from '../http/console/console-files.ts';
import type { FrontDoor } from '../http/front-door.ts';
import type { KeyVault } from '../store/ports/key-vault.ts';
import type { NodeChangeLog } from '../store/ports/node-changes.ts';
import { createLocalAccessApp, startLocalAccess } from './local-access.ts';
import { startLocalBroker } from './local-broker.ts';
import { startLocalConsole } from './local-console.ts';
import { startLocalForwarder, startLocalReports } from './local-forwarder.ts';
import { type LocalInventory, startInventoryTls } from './local-inventory.ts';
import type { LocalLog } from './local-log.ts';
import { startLocalOrchestrator } from './local-orchestrator.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

interface DoorParts {
  readonly stores: ServerStores;
  readonly changes: NodeChangeLog;
  readonly vault: KeyVault;
  /** Null without an inventory. */
  readonly inventory: LocalInventory | null;
  readonly log: LocalLog;
  readonly door: FrontDoor;
  readonly credentials: ServerCredentials;
  readonly mostSockets: number;
  /** The certname of the server. */
  readonly server: string;
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
    const reading = { broker: broker?.broker ?? null, inventory: parts.inventory?.reader ?? null };
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
