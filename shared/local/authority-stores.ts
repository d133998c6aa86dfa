import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { VARIABLES } from '../config/deployment.ts';
import type { AwsNames } from '../store/aws/stores.ts';
import { type KeyVault, StoreRefused, type Stores } from '../store/ports.ts';

/** Where the CA is, and what its operator allows. */
export interface Where {
  readonly data?: string;
  readonly caKeyFile?: string;
}

/** Name of the file in a data directory that seals the CA's key. */
export const KEY_FILE = 'ca-key-file';

/** Adds the options that say which CA is meant. */
export function withPlace(command: Command): Command {
  return command
    .option('--data <dir>', 'a data directory; else the deployment that the environment names, or .understudy')
    .option('--ca-key-file <file>', `seals the CA's key (default: ${KEY_FILE} of the data directory)`);
}

/** Opens the stores with the vault of their CA's key: of a data directory, or of the deployment that `variables` name. */
export async function withStoresAndVault(
  { data, caKeyFile }: Where,
  variables: AwsNames,
  work: (stores: Stores, vault: KeyVault | undefined) => Promise<void>,
): Promise<void> {
  if (data === undefined && variables[VARIABLES.documentsTable] !== undefined) {
    const { openAwsStores } = await import('../store/aws/stores.ts');
    const { openKmsVault } = await import('../store/aws/kms-vault.ts');
    return work(openAwsStores(variables), openKmsVault(variables).vault);
  }
  const directory = data ?? '.understudy';
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    throw new StoreRefused(`data directory '${directory}' does not exist; npm start makes it`);
  }
  const { openEmbeddedStores } = await import('../store/embedded/stores.ts');
  const { openKeyFileVault } = await import('../store/embedded/key-file-vault.ts');
  const stores = openEmbeddedStores(directory);
  try {
    await work(stores, openKeyFileVault(caKeyFile ?? join(directory, KEY_FILE), caKeyFile === undefined));
  } finally {
    stores.close();
  }
}
