import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { variableOf } from '../../config/read-setting.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { KEY_FILE } from '../../store/embedded/directory-files.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DATA_OPTION, openCommandStores, type StateLocation as StoresWhere } from './command-stores.ts';

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
 * Opens the stores and the key vault of a CA: in a data directory, a database, or the deployment
 * that `variables` name.
 */
export async function withStoresAndVault(
  where: AuthorityLocation,
  variables: AwsNames,
  work: (stores: Stores, vault: KeyVault | undefined) => Promise<void>,
): Promise<void> {
  const { stores, directory, makesKeys, close } = await openCommandStores(where, variables, 'documentsTable');
  try {
    if (directory === null) {
      const { openKmsVault } = await import('../../store/aws/kms-vault.ts');
      await work(stores, openKmsVault(variables).vault);
    } else {
      const file = where.caKeyFile ?? variables[variableOf('caKeyFile')];
      await work(stores, await openAuthorityVault(stores, directory, file, makesKeys));
    }
  } finally {
    await close();
  }
}

/**
 * Opens the key vault of a data directory. Creates its key file, if `mayMake`, when there is none
 * and nothing is sealed yet. Throws StoreRefused, and writes nothing, when the file is missing that
 * the CA's key was sealed with.
 */
export async function openAuthorityVault(
  { documents }: Pick<Stores, 'documents'>,
  directory: string,
  caKeyFile: string | undefined,
  mayMake = true,
): Promise<KeyVault> {
  const { openKeyFileVault } = await import('../../store/embedded/key-file-vault.ts');
  const { hasSealedKey } = await import('../../access/ca/authority-record.ts');
  const path = caKeyFile ?? join(directory, KEY_FILE);
  if (!existsSync(path) && (await hasSealedKey(documents))) {
    throw new StoreRefused(
      `the key file '${path}' is missing, and the CA's key in the store is sealed with it: put it back from its backup`,
    );
  }
  return openKeyFileVault(path, mayMake && caKeyFile === undefined);
}
