import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { AwsNames } from '../../store/aws/stores.ts';
import { KEY_FILE } from '../../store/embedded/directory-files.ts';
import type { KeyVault } from '../../store/ports/key-vault.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DATA_OPTION, dataDirectory, type StateLocation as StoresWhere } from './command-stores.ts';

/** Names the certificate authority that a command works on. */
export interface AuthorityLocation extends StoresWhere {
  readonly caKeyFile?: string;
}

/** Adds the options of `AuthorityLocation`. */
export function withPlace(command: Command): Command {
  return command
    .option(...DATA_OPTION)
    .option('--ca-key-file <file>', `the file that seals the CA's key (default: ${KEY_FILE} in the data directory)`);
}

/**
 * Opens the stores and the key vault of a CA: in a data directory, or in the deployment that
 * `variables` name.
 */
export async function withStoresAndVault(
  where: AuthorityLocation,
  variables: AwsNames,
  work: (stores: Stores, vault: KeyVault | undefined) => Promise<void>,
): Promise<void> {
  const directory = dataDirectory(where, variables, 'documentsTable');
  if (directory === null) {
    const { openAwsStores } = await import('../../store/aws/stores.ts');
    const { openKmsVault } = await import('../../store/aws/kms-vault.ts');
    return work(openAwsStores(variables), openKmsVault(variables).vault);
  }
  const { caKeyFile } = where;
  const { openEmbeddedStores } = await import('../../store/embedded/stores.ts');
  const stores = openEmbeddedStores(directory);
  try {
    await work(stores, await openAuthorityVault(stores, directory, caKeyFile));
  } finally {
    stores.close();
  }
}

/**
 * Opens the key vault of a data directory. Creates its key file when there is none and nothing is
 * sealed yet. Throws StoreRefused, and writes nothing, when the file is missing that the CA's key
 * was sealed with.
 */
export async function openAuthorityVault(
  { documents }: Pick<Stores, 'documents'>,
  directory: string,
  caKeyFile: string | undefined,
): Promise<KeyVault> {
  const { openKeyFileVault } = await import('../../store/embedded/key-file-vault.ts');
  const { hasSealedKey } = await import('../../access/ca/authority-record.ts');
  const path = caKeyFile ?? join(directory, KEY_FILE);
  if (!existsSync(path) && (await hasSealedKey(documents))) {
    throw new StoreRefused(
      `the key file '${path}' is missing, and the CA's key in the store is sealed with it: put it back from its backup`,
    );
  }
  return openKeyFileVault(path, caKeyFile === undefined);
}
