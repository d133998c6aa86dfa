import type { DatabaseConnection } from '../database/inventory-database.ts';
import { InvalidPayload } from './payload.ts';
import { readCatalog } from './read-catalog.ts';
import { readReport } from './read-report.ts';
import { storeCatalog } from './store-catalog.ts';
import { readFactsCommand, storeFactset } from './store-facts.ts';
import { configureExpiration, deactivateNode, storeCatalogInputs } from './store-node.ts';
import { storeReportRow } from './store-report.ts';
import { readWireJson } from './wire-json.ts';

/** A command that was accepted: its payload is JSON text, not yet checked. */
export interface InventoryCommand {
  readonly command: string;
  readonly version: number;
  readonly certname: string;
  readonly payload: string;
}

/** The oldest version of each command that is accepted, and the newest that can be applied. */
export const COMMAND_VERSIONS: ReadonlyMap<string, { readonly oldest: number; readonly newest: number }> = new Map([
  ['configure expiration', { oldest: 1, newest: 1 }],
  ['deactivate node', { oldest: 3, newest: 3 }],
  ['replace catalog', { oldest: 6, newest: 9 }],
  ['replace catalog inputs', { oldest: 1, newest: 1 }],
  ['replace facts', { oldest: 4, newest: 5 }],
  ['store report', { oldest: 5, newest: 8 }],
]);

/** Terms on which a command is applied. */
export interface CommandTerms {
  /** The time of receipt. */
  readonly received: string;
  /** Facts that are not kept: see `matchBlockedFacts`. */
  readonly blockedFacts: readonly string[];
}

/**
 * Applies a command in the transaction of the connection. Throws InvalidPayload for what can never
 * be stored.
 */
export async function applyCommand(
  connection: DatabaseConnection,
  { command, version, payload }: InventoryCommand,
  { received, blockedFacts }: CommandTerms,
): Promise<void> {
  const versions = COMMAND_VERSIONS.get(command);
  if (versions === undefined || version < versions.oldest || version > versions.newest) {
    throw new InvalidPayload(`Unsupported command ${command} version ${version}`);
  }
  const data = readPayload(payload);
  switch (command) {
    case 'replace facts':
      return storeFactset(connection, readFactsCommand(data, blockedFacts), received);
    case 'replace catalog':
      return storeCatalog(connection, readCatalog(data, version), received);
    case 'store report':
      return storeReportRow(connection, readReport(data, version), received);
    case 'deactivate node':
      return deactivateNode(connection, data, received);
    case 'configure expiration':
      return configureExpiration(connection, data, received);
    default:
      return storeCatalogInputs(connection, data, received);
  }
}

function readPayload(payload: string): unknown {
  try {
    return readWireJson(payload);
  } catch (error) {
    throw new InvalidPayload(`the payload is not JSON: ${String(error)}`);
  }
}
