import type { Command } from 'commander';
import type { AccessService } from '../../access/accounts/access-service.ts';
import type { Account } from '../../access/accounts/account.ts';
import type { PasswordCost } from '../../access/accounts/passwords.ts';
import type { Role } from '../../access/accounts/role-store.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { systemClock } from '../../store/system-clock.ts';
import { addListOptions, createListStyle, type ListColumn, type ListOptions, printList } from '../client/list-table.ts';
import { collect } from '../client/option-values.ts';
import { addDirectoryCommands } from './access-directory-commands.ts';
import { type AccessProcess, addLoginCommands, readPasswordFile } from './access-login-commands.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';
import { CommandError } from './node-files.ts';

interface CreateOptions extends StateLocation {
  readonly email: string;
  readonly displayName?: string;
  readonly role: readonly string[];
  readonly passwordFile?: string;
}

interface AccessContext extends AccessProcess {
  readonly variables: AwsNames;
  /** Cost of a password's hash; by default as for the server. */
  readonly passwordCost?: PasswordCost;
}

/**
 * Adds `access`: logging in at a server, and managing the users of a data directory, or of the
 * deployment in AWS that the environment variables name.
 */
export function addAccessCommands(program: Command, context: AccessContext): void {
  const access = program.command('access').description('log in, and manage users, roles and tokens');
  addLoginCommands(access, context);
  const user = access.command('user').description('users of a data directory or of a deployment in AWS');
  addCreate(user, context);
  addChanges(user, context);
  addLists(access, user, context);
  addTokenCreation(access, context);
  addDirectoryCommands(access, context);
}

interface TokenOptions extends StateLocation {
  readonly lifetime?: string;
  readonly label?: string;
  readonly description?: string;
}

function addTokenCreation(access: Command, context: AccessContext): void {
  access
    .command('token')
    .description('tokens of users of a data directory or of a deployment in AWS')
    .command('create')
    .description('create a token for a user, such as a pipeline, without a password, and print it')
    .argument('<login>')
    .option('-l, --lifetime <time>', 'how long it is valid: 90s, 30m, 4h, 5d, 1y (default: 1h)')
    .option('--label <text>', 'a name, by which the user can revoke it')
    .option('--description <text>', 'a text for the list of tokens')
    .option(...DATA_OPTION)
    .action((login: string, options: TokenOptions) =>
      withAccount(login, options, context, async ({ tokens }, account) => {
        const { checkLabel, readLifetime, USUAL_LIFETIME_MS } = await import('../../access/accounts/token-lifetime.ts');
        const { lifetime, label = null, description = null } = options;
        if (label !== null) checkLabel(label);
        if (account.isRevoked) throw new CommandError(`${login} is revoked`);
        const lifetimeMs = lifetime === undefined ? USUAL_LIFETIME_MS : readLifetime(lifetime);
        await context.print(`${await tokens.create(account, { lifetimeMs, label, description })}\n`);
      }),
    );
}

function addCreate(user: Command, context: AccessContext): void {
  user
    .command('create')
    .description('create a user; the first one is an administrator unless --role says otherwise')
    .argument('<login>', "the login; 'admin' exists from the beginning, and gets its password")
    .option('--email <address>', 'the e-mail address', '')
    .option('--display-name <name>', 'the name to show (default: the login)')
    .option('--role <role>', 'the name or number of a role; repeat it for more', collect, [])
    .option('--password-file <file>', 'a file with the password; otherwise the command asks for it')
    .option(...DATA_OPTION)
    .action((login: string, options: CreateOptions) =>
      withAccess(options, context, async (service) => {
        const roles = await chooseRoles(service, options.role);
        const password = await service.hash(await readNewPassword(options, context));
        const existing = await service.accounts.findByLogin(login);
        if (existing?.isSuperuser === true && existing.password === null && existing.login !== 'api_user') {
          await service.accounts.change(existing, (before) => ({ ...before, password }));
        } else {
          await service.accounts.create({
            login,
            email: options.email,
            displayName: options.displayName ?? login,
            isGroup: false,
            roleIds: roles.map(({ id }) => id),
            password,
          });
        }
        const names = existing === null ? roles.map(({ displayName }) => displayName) : ['superuser'];
        await context.print(`${login} created (${names.length === 0 ? 'no roles' : names.join(', ')})\n`);
      }),
    );
}

function addChanges(user: Command, context: AccessContext): void {
  user
    .command('password')
    .description("change a user's password; the user's tokens stay valid")
    .argument('<login>')
    .option('--password-file <file>', 'a file with the password; otherwise the command asks for it')
    .option(...DATA_OPTION)
    .action((login: string, options: CreateOptions) =>
      withAccount(login, options, context, async (service, account) => {
        if (account.isRemote) throw new CommandError(`the password of ${login} is in a directory`);
        const password = await service.hash(await readNewPassword(options, context));
        await service.accounts.change(account, (before) => ({ ...before, password }));
        await service.attempts.forget(login);
        await context.print(`${login} has a new password\n`);
      }),
    );
  user
    .command('revoke')
    .description('revoke a user and all their tokens')
    .argument('<login>')
    .option(...DATA_OPTION)
    .action((login: string, options: StateLocation) =>
      withAccount(login, options, context, async (service, account) => {
        await service.revoke(account);
        await context.print(`${login} revoked\n`);
      }),
    );
  user
    .command('reinstate')
    .description('reinstate a user who is revoked, or locked out after failed log-ins')
    .argument('<login>')
    .option(...DATA_OPTION)
    .action((login: string, options: StateLocation) =>
      withAccount(login, options, context, async (service, account) => {
        await service.reinstate(account);
        await context.print(`${login} reinstated\n`);
      }),
    );
  user
    .command('revoke-tokens')
    .description('revoke all tokens of a user; the user can log in again')
    .argument('<login>')
    .option(...DATA_OPTION)
    .action((login: string, options: StateLocation) =>
      withAccount(login, options, context, async (service, account) => {
        await service.revokeTokens(account);
        await context.print(`the tokens of ${login} are revoked\n`);
      }),
    );
}

function addLists(access: Command, user: Command, context: AccessContext): void {
  const listUsers = user
    .command('list')
    .description('list the users: login, id, state, last log-in, roles')
    .option(...DATA_OPTION);
  addListOptions(listUsers, USER_COLUMNS).action((options: StateLocation & ListOptions) =>
    withAccess(options, context, async ({ accounts, roles }) => {
      const known = await roles.list();
      const rows = (await accounts.list()).map((account) => ({ account, roles: namesOfRoles(account, known) }));
      await context.print(
        printList(rows, USER_COLUMNS, createListStyle(options, systemClock.now(), 'There is no user.')),
      );
    }),
  );
  const listRoles = access
    .command('role')
    .description('roles of a data directory or of a deployment in AWS')
    .command('list')
    .description('list the roles: number, name, number of members, permissions')
    .option(...DATA_OPTION);
  addListOptions(listRoles, ROLE_COLUMNS).action((options: StateLocation & ListOptions) =>
    withAccess(options, context, async ({ accounts, roles }) => {
      const members = (await accounts.list()).flatMap(({ roleIds }) => roleIds);
      const rows = (await roles.list()).map((role) => ({
        role,
        members: members.filter((one) => one === role.id).length,
      }));
      await context.print(
        printList(rows, ROLE_COLUMNS, createListStyle(options, systemClock.now(), 'There is no role.')),
      );
    }),
  );
}

interface UserRow {
  readonly account: Account;
  readonly roles: readonly string[];
}

const USER_COLUMNS: readonly ListColumn<UserRow>[] = [
  { name: 'login', value: ({ account }) => account.login },
  { name: 'id', kind: 'id', isWide: true, value: ({ account }) => account.id },
  { name: 'state', kind: 'state', value: ({ account }) => stateOfAccount(account) },
  { name: 'last_login', kind: 'time', value: ({ account }) => account.lastLogin },
  { name: 'roles', value: ({ roles }) => roles },
  { name: 'note', isOptional: true, value: ({ account }) => noteOf(account) },
];

const ROLE_COLUMNS: readonly ListColumn<{ readonly role: Role; readonly members: number }>[] = [
  { name: 'id', value: ({ role }) => role.id },
  { name: 'role', value: ({ role }) => role.displayName },
  { name: 'members', value: ({ members }) => members },
  {
    name: 'permissions',
    value: ({ role }) =>
      role.permissions.map(({ objectType, action, instance }) => `${objectType}:${action}:${instance}`),
  },
];

/** A user without a password logs in with a token alone, or not at all yet. */
function noteOf({ isGroup, password }: Account): string | null {
  return isGroup || password !== null ? null : 'no password';
}

function stateOfAccount({ isRevoked, isGroup }: Account): string {
  if (isRevoked) return 'revoked';
  return isGroup ? 'group' : 'active';
}

function namesOfRoles({ roleIds }: Account, roles: readonly Role[]): readonly string[] {
  return roles.filter((role) => roleIds.includes(role.id)).map(({ displayName }) => displayName);
}

/** The roles of names or numbers. For the first user who can log in, Administrators by default. */
async function chooseRoles({ accounts, roles }: AccessService, wanted: readonly string[]): Promise<readonly Role[]> {
  const known = await roles.list();
  if (wanted.length === 0) return (await accounts.hasUsablePassword()) ? [] : known.filter(({ id }) => id === 1);
  return wanted.map((text) => {
    const found = known.find(({ id, displayName }) => String(id) === text || displayName === text);
    if (found === undefined) throw new CommandError(`there is no role '${text}'`);
    return found;
  });
}

async function readNewPassword({ passwordFile }: CreateOptions, { terminal }: AccessContext): Promise<string> {
  if (passwordFile !== undefined) return readPasswordFile(passwordFile);
  try {
    const password = await terminal.askSecret('Password: ');
    if (password === null) throw new CommandError('a password is needed: type it, or give --password-file');
    if (terminal.isInteractive && (await terminal.askSecret('Again: ')) !== password) {
      throw new CommandError('the two passwords differ');
    }
    return password;
  } finally {
    terminal.close();
  }
}

function withAccount(
  login: string,
  where: StateLocation,
  context: AccessContext,
  work: (service: AccessService, account: Account) => Promise<void>,
): Promise<void> {
  return withAccess(where, context, async (service) => {
    const account = await service.accounts.findByLogin(login);
    if (account === null || account.login === 'api_user') throw new CommandError(`there is no user '${login}'`);
    await work(service, account);
  });
}

function withAccess(
  where: StateLocation,
  { variables, passwordCost }: AccessContext,
  work: (service: AccessService) => Promise<void>,
): Promise<void> {
  return withStores(where, variables, async (stores) => {
    const { AccessService } = await import('../../access/accounts/access-service.ts');
    const { AccessRefused } = await import('../../access/accounts/access-control.ts');
    const { systemSecrets } = await import('../../store/system-secrets.ts');
    try {
      const ports = { ...stores, secrets: systemSecrets };
      await work(new AccessService(ports, passwordCost === undefined ? {} : { passwordCost }));
    } catch (error) {
      throw error instanceof AccessRefused ? new CommandError(error.message) : error;
    }
  });
}
