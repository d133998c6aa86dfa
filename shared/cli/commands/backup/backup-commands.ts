import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { AwsNames } from '../../../store/aws/stores.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import type { WorkObserver } from '../../../util/work-observer.ts';
import { Progress } from '../../client/progress.ts';
import { DATA_OPTION, dataDirectory, type StateLocation, withStores } from '../command-stores.ts';
import type { VerifyOptions } from './verify-command.ts';

type Print = (text: string) => Promise<void>;

interface BackupOptions extends StateLocation {
  readonly withoutKey?: boolean;
}

/** Adds `backup`, `restore` and `verify`. The first two are for data directories. */
export function addBackupCommands(program: Command, print: Print, variables: AwsNames): void {
  program
    .command('backup')
    .description('back up a data directory into a file, also while a server uses it')
    .argument('<file>')
    .option(
      '--without-key',
      "leave out the files that seal the CA's key and the values that modules keep: copy ca-key-file and values-key-file once, to another place",
    )
    .option(...DATA_OPTION)
    .action((file: string, options: BackupOptions) => backUp(file, options, variables, print));
  program
    .command('restore')
    .description('create a data directory from a backup')
    .argument('<file>')
    .requiredOption('--data <dir>', 'the new data directory, which must not exist or be empty')
    .action(async (file: string, { data }: { readonly data: string }) => {
      const { restoreDirectory } = await import('../../../store/embedded/backup.ts');
      const progress = new Progress();
      const restored = restoreDirectory(file, data, (what, done, of) => progress.show(what, done, of));
      const { at, blobs, hasKeyFile } = await restored.finally(() => progress.end());
      await print(`Restored the backup of ${new Date(at).toISOString()} with ${blobs} blobs.\n`);
      if (!hasKeyFile)
        await print(
          "It has no key file: copy ca-key-file and values-key-file of the former directory into it, or start with the --ca-key-file that sealed the CA's key.\n",
        );
    });
  program
    .command('verify')
    .description('check all rows of the database and of the inventory, and the presence and content of each blob')
    .option(
      '--repair',
      'queue a compile for each lost catalog, delete damaged rows of the database that are made anew; the next deploy uploads lost files',
    )
    .option('--puppetdb-database <url>', "also ask the PostgreSQL of the server's --puppetdb-database")
    .option(...DATA_OPTION)
    .action(async (options: VerifyOptions) => {
      const { verify } = await import('./verify-command.ts');
      await verify(options, variables, print);
    });
}

async function backUp(file: string, options: BackupOptions, variables: AwsNames, print: Print): Promise<void> {
  const directory = dataDirectory(options, variables);
  if (directory === null) {
    throw new StoreRefused(
      'databases have backups of their own: see docs/servers.md for PostgreSQL, and infra/README.md, "Restore", for AWS',
    );
  }
  const { backUpDirectory } = await import('../../../store/embedded/backup.ts');
  const { withUploadLock } = await import('../../../fleet/code/code-lock.ts');
  const { noteBackup } = await import('../../../fleet/code/last-backup.ts');
  await withStores({ data: directory }, variables, async (stores) => {
    // Pruning deletes what the copied database may still name.
    const progress = new Progress();
    const observe: WorkObserver = (what, done, of) => progress.show(what, done, of);
    const back = () => backUpDirectory(directory, file, stores.clock.now(), options.withoutKey !== true, observe);
    const { blobs, hasKeyFile } = await withUploadLock(stores, back, 'backup').finally(() => progress.end());
    await noteBackup(stores.documents, { at: stores.clock.now(), file: resolve(file), blobs });
    const secret = hasKeyFile ? ' It has the file that opens the key of the CA: keep it as safe as that.' : '';
    await print(`Wrote the database and ${blobs} blobs to ${file}.${secret}\n`);
  });
}
