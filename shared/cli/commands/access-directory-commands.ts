import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { AccessService } from '../../access/accounts/access-service.ts';
import type { Directory } from '../../access/directory/directories.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { systemClock } from '../../store/system-clock.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { shortenId } from '../../util/short-id.ts';
import { chooseId } from '../client/choose-id.ts';
import { addListOptions, createListStyle, type ListColumn, type ListOptions, printList } from '../client/list-table.ts';
import { collect } from '../client/option-values.ts';
import { readPasswordFile } from './access-login-commands.ts';
import { type AuthorityLocation, withPlace, withStoresAndVault } from './authority-stores.ts';
import { CommandError } from './node-files.ts';

interface DirectoryContext {
  readonly variables: AwsNames;
  readonly print: (text: string) => void | Promise<void>;
}

interface SetOptions extends AuthorityLocation {
  readonly id?: string;
  readonly passwordFile?: string;
}

/** Adds `directory` and `group`: who else can log in, and what groups of a directory may do. */
export function addDirectoryCommands(access: Command, context: DirectoryContext): void {
  const directory = access.command('directory').description('directories (LDAP) whose users can log in');
  withPlace(directory.command('set'))
    .description('create or replace the connection to a directory, and try it')
    .argument('<file>', 'its settings: JSON with the keys of docs/access.md')
    .option('--id <id>', 'the connection to replace: its id, or the first digits')
    .option('--password-file <file>', 'a file with the password of its login')
    .action((file: string, options: SetOptions) =>
      withDirectories(options, context, async ({ directories }) => {
        const { passwordFile } = options;
        const password = passwordFile === undefined ? {} : { password: readPasswordFile(passwordFile) };
        const replaced = options.id === undefined ? undefined : await chooseDirectory(options.id, directories);
        const id = await directories.put({ ...readSettings(file), ...password }, 'own', replaced);
        await context.print(`${id}\n`);
        await directories.test({ ...(await directories.get(id)) }, 'own');
      }),
    );
  const list = withPlace(directory.command('list')).description('list the connections');
  addListOptions(list, DIRECTORY_COLUMNS).action((options: AuthorityLocation & ListOptions) =>
    withDirectories(options, context, async ({ directories }) => {
      const style = createListStyle(options, systemClock.now(), 'There is no directory.');
      await context.print(printList(await directories.list(), DIRECTORY_COLUMNS, style));
    }),
  );
  withPlace(directory.command('test'))
    .description('connect to a directory, and look for its base')
    .argument('<id>', 'the id, as `list` prints it, or its first digits')
    .action((id: string, options: AuthorityLocation) =>
      withDirectories(options, context, async ({ directories }) => {
        const found = await chooseDirectory(id, directories);
        await directories.test({ ...(await directories.get(found)) }, 'own');
        await context.print('the directory answers\n');
      }),
    );
  withPlace(directory.command('delete'))
    .description('delete a connection; its users cannot log in any more, and their tokens stay')
    .argument('<id>', 'the id, as `list` prints it, or its first digits')
    .action((id: string, options: AuthorityLocation) =>
      withDirectories(options, context, async ({ directories }) => {
        const found = await chooseDirectory(id, directories);
        await directories.delete(found);
        await context.print(`${shortenId(found)} deleted\n`);
      }),
    );
  addGroupImport(access, context);
}

function addGroupImport(access: Command, context: DirectoryContext): void {
  withPlace(access.command('group').description('groups of a directory').command('import'))
    .description('give roles to the users of a group of a directory, from their next log-in on')
    .argument('<name>', 'the name of the group in the directory')
    .requiredOption('--role <role>', 'the number of a role; repeat it for more', collect, [])
    .option('--display-name <name>', 'the name to show (default: the name)')
    .action((login: string, options: AuthorityLocation & { role: readonly string[]; displayName?: string }) =>
      withDirectories(options, context, async ({ accounts, roles }) => {
        const roleIds = options.role.map(Number);
        await roles.demand(roleIds);
        const displayName = options.displayName ?? login;
        await accounts.create({ login, email: '', displayName, isGroup: true, roleIds, password: null });
        await context.print(`${login} imported\n`);
      }),
    );
}

const DIRECTORY_COLUMNS: readonly ListColumn<Directory>[] = [
  { name: 'id', kind: 'id', value: ({ id }) => id },
  { name: 'name', value: ({ display_name }) => display_name },
  { name: 'host', value: ({ hostname, port }) => `${hostname}:${port}` },
  { name: 'tls', value: ({ ssl, start_tls }) => (ssl ? 'ssl' : start_tls ? 'start_tls' : 'none') },
  { name: 'base', value: ({ base_dn }) => base_dn },
];

async function chooseDirectory(given: string, directories: AccessService['directories']): Promise<string> {
  const known = await directories.list();
  return chooseId(
    known.map(({ id }) => id),
    given,
    'directory',
  );
}

function readSettings(file: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
  if (!isJsonObject(parsed)) throw new CommandError(`${file}: it must be a JSON object`);
  return parsed;
}

function withDirectories(
  where: AuthorityLocation,
  { variables }: DirectoryContext,
  work: (service: AccessService) => Promise<void>,
): Promise<void> {
  return withStoresAndVault(where, variables, async (stores, vault) => {
    const { AccessService } = await import('../../access/accounts/access-service.ts');
    const { AccessRefused } = await import('../../access/accounts/access-control.ts');
    const { DirectoryRefused } = await import('../../access/directory/ldap-settings.ts');
    const { systemSecrets } = await import('../../store/system-secrets.ts');
    try {
      const ports = { ...stores, secrets: systemSecrets };
      await work(new AccessService(ports, vault === undefined ? {} : { vault }));
    } catch (error) {
      const isKnown = error instanceof AccessRefused || error instanceof DirectoryRefused;
      throw isKnown ? new CommandError(error.message) : error;
    }
  });
}
