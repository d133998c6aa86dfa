import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import type { FrontDoor } from '../http/front-door.ts';
import type { InventoryReader } from '../inventory/query/inventory-reader.ts';
import type { KeyVault } from '../store/ports/key-vault.ts';
import type { Stores } from '../store/ports/stores.ts';
import { startLocalAccess } from './local-access.ts';
import { startLocalBroker } from './local-broker.ts';
import type { LocalLog } from './local-log.ts';
import { startLocalOrchestrator } from './local-orchestrator.ts';
import type { LocalOptions } from './options.ts';

interface DoorParts {
  readonly stores: Stores;
  readonly vault: KeyVault;
  /** Null without an inventory. */
  readonly inventory: InventoryReader | null;
  readonly log: LocalLog;
  readonly door: FrontDoor;
  readonly credentials: ServerCredentials;
  readonly mostSockets: number;
  /** The certname of the server. */
  readonly server: string;
  readonly frontDoorPort: number;
}

/** What listens beside the front door; a port is null for what is not there. */
export interface BesideDoor {
  readonly pcpPort: number | null;
  readonly accessPort: number | null;
  readonly orchestratorPort: number | null;
  close(graceMs: number): Promise<void>;
}

/** Starts the PCP broker, the access API and the orchestrator. Throws ListenFailed. */
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
    const access = await startLocalAccess(options, { clock: stores.clock, log, door, credentials });
    if (access !== null) closers.push((graceMs) => access.close(graceMs));
    const orchestrator = await startLocalOrchestrator(options, { ...parts, broker: broker?.broker ?? null });
    if (orchestrator !== null) closers.push((graceMs) => orchestrator.close(graceMs));
    return {
      pcpPort: broker?.port ?? null,
      accessPort: access?.port ?? null,
      orchestratorPort: orchestrator?.port ?? null,
      close,
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}
