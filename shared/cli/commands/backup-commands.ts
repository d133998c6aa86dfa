import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { StoreFindings } from '../../fleet/code/verify-stores.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { countUnits } from '../../util/count-units.ts';
import { DATA_OPTION, dataDirectory, type StateLocation, withStores } from './command-stores.ts';

type Print = (text: string) => Promise<void>;

interface BackupOptions extends StateLocation {
  readonly withoutKey?: boolean;
}

interface VerifyOptions extends StateLocation {
  readonly repair?: boolean;
}

/** `verify` found damage that it did not repair; the message counts it. */
export class DamageFound extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DamageFound';
  }
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
      const { restoreDirectory } = await import('../../store/embedded/backup.ts');
      const { at, blobs, hasKeyFile } = await restoreDirectory(file, data);
      await print(`Restored the backup of ${new Date(at).toISOString()} with ${blobs} blobs.\n`);
      if (!hasKeyFile)
        await print(
          "It has no key file: copy ca-key-file and values-key-file of the former directory into it, or start with the --ca-key-file that sealed the CA's key.\n",
        );
    });
  program
    .command('verify')
    .description('check the database, and the presence and content of each blob that it names')
    .option('--repair', 'queue a compile for each lost catalog; the next deploy uploads lost files')
    .option(...DATA_OPTION)
    .action((options: VerifyOptions) => verify(options, variables, print));
}

async function backUp(file: string, options: BackupOptions, variables: AwsNames, print: Print): Promise<void> {
  const directory = dataDirectory(options, variables);
  if (directory === null) {
    throw new StoreRefused('the deployment in AWS has backups of its own: see infra/README.md, "Restore"');
  }
  const { backUpDirectory } = await import('../../store/embedded/backup.ts');
  const { withUploadLock } = await import('../../fleet/code/code-lock.ts');
  const { noteBackup } = await import('../../fleet/code/last-backup.ts');
  await withStores({ data: directory }, variables, async (stores) => {
    // Pruning deletes what the copied database may still name.
    const back = () => backUpDirectory(directory, file, stores.clock.now(), options.withoutKey !== true);
    const { blobs, hasKeyFile } = await withUploadLock(stores, back);
    await noteBackup(stores.documents, { at: stores.clock.now(), file: resolve(file), blobs });
    const secret = hasKeyFile ? ' It has the file that opens the key of the CA: keep it as safe as that.' : '';
    await print(`Wrote the database and ${blobs} blobs to ${file}.${secret}\n`);
  });
}

async function verify(options: VerifyOptions, variables: AwsNames, print: Print): Promise<void> {
  const directory = dataDirectory(options, variables);
  if (directory !== null) await verifyDatabase(directory);
  const { verifyStores } = await import('../../fleet/code/verify-stores.ts');
  await withStores(options, variables, async (stores) => {
    const repair = options.repair ?? false;
    const found = await verifyStores(stores, repair);
    await printVerification(found, print);
    if (found.findings.length === 0 || repair) return;
    throw new DamageFound(`${found.findings.length} blobs are missing or damaged; --repair heals what can be healed`);
  });
}

/** Throws StoreRefused for a damaged database: nothing else can be verified then. */
async function verifyDatabase(directory: string): Promise<void> {
  const { findDatabaseFaults } = await import('../../store/embedded/backup.ts');
  const [fault] = findDatabaseFaults(directory);
  if (fault !== undefined) {
    throw new StoreRefused(`the database in '${directory}' is damaged (${fault}): restore a backup`);
  }
}

async function printVerification({ counts, findings }: StoreFindings, print: Print): Promise<void> {
  for (const { key, namedBy, remedy } of findings) {
    await print(`${key} of ${namedBy} is missing or damaged: ${remedy}\n`);
  }
  const { environments, files, nodes, catalogs } = counts;
  await print(
    `Verified ${countUnits(environments, 'environment')} with ${countUnits(files, 'file')}, ${countUnits(nodes, 'node')} with ${countUnits(catalogs, 'catalog')}.\n`,
  );
}
