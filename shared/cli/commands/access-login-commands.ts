import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ClientError } from '../client/client-error.ts';
import {
  type ClientFolders,
  type ClientSettings,
  expandHome,
  readClientSettings,
  textSetting,
  USUAL_CA_FILE,
  usualTokenFile,
} from '../client/client-settings.ts';
import type { OrchestratorOptions } from '../client/orchestrator-client.ts';
import { demandService } from '../client/service-client.ts';
import type { Terminal } from '../client/terminal.ts';
import { deleteTokenFile, readTokenFile, writeTokenFile } from '../client/token-file.ts';

/** Parts of the process for the commands. */
export interface AccessProcess {
  readonly print: (text: string) => Promise<void>;
  readonly terminal: Terminal;
  readonly folders: ClientFolders;
}

interface LoginOptions extends OrchestratorOptions {
  readonly lifetime?: string;
  readonly label?: string;
  readonly print?: boolean;
  readonly passwordFile?: string;
}

const CONFIGURATION = 'puppet-access.conf';
const CONFIG_OPTION = [
  '-c, --config-file <file>',
  `the configuration, in place of ~/.puppetlabs/…/${CONFIGURATION}`,
] as const;
const TOKEN_OPTION = ['-t, --token-file <file>', "the token's file (default: ~/.puppetlabs/token)"] as const;

/** Adds `access login`, `access show` and `access delete-token-file`. */
export function addLoginCommands(access: Command, context: AccessProcess): void {
  access
    .command('login')
    .description('log in at a server, and keep the token for other commands')
    .argument('[user]', 'the login; otherwise the command asks for it')
    .option(
      '-l, --lifetime <time>',
      'how long the token is valid: 90s, 30m, 4h, 5d, 1y (default: what the server says)',
    )
    .option('--label <text>', 'a name for the token, by which it can be revoked')
    .option('--print', 'print the token instead of keeping it')
    .option('--service-url <url>', 'the address, such as https://puppet.example.com:4433/rbac-api')
    .option('--ca-cert <file>', `the certificates of the server's CA, PEM (default: ${USUAL_CA_FILE})`)
    .option('--password-file <file>', 'a file with the password; otherwise the command asks for it')
    .option(...TOKEN_OPTION)
    .option(...CONFIG_OPTION)
    .action((user: string | undefined, options: LoginOptions) => logIn(user, options, context));
  access
    .command('show')
    .description('print the kept token')
    .option(...TOKEN_OPTION)
    .option(...CONFIG_OPTION)
    .action(async (options: LoginOptions) => {
      const path = tokenFileOf(options, context.folders, readSettings(options, context));
      const token = readTokenFile(path);
      if (token === null) throw new ClientError(`there is no token in ${path}: log in first`);
      await context.print(`${token}\n`);
    });
  access
    .command('delete-token-file')
    .alias('logout')
    .description('delete the kept token; it stays valid until it expires or is revoked')
    .option('--token-path <file>', "the token's file (default: ~/.puppetlabs/token)")
    .option(...CONFIG_OPTION)
    .action(async ({ tokenPath, ...options }: LoginOptions & { tokenPath?: string }) => {
      const where = { ...options, ...(tokenPath === undefined ? {} : { tokenFile: tokenPath }) };
      const path = tokenFileOf(where, context.folders, readSettings(options, context));
      const isDeleted = deleteTokenFile(path);
      await context.print(isDeleted ? `Deleted the token file ${path}\n` : `There is no token file ${path}\n`);
    });
}

async function logIn(user: string | undefined, options: LoginOptions, context: AccessProcess): Promise<void> {
  const { print, terminal, folders } = context;
  const settings = readSettings(options, context);
  const url = options.serviceUrl ?? textSetting(settings, 'service-url');
  if (url === undefined) {
    throw new ClientError(
      `there is no address of a server: give --service-url, or set service-url in ${CONFIGURATION}`,
    );
  }
  const caFile = expandHome(options.caCert ?? textSetting(settings, 'certificate-file') ?? USUAL_CA_FILE, folders);
  const credentials = await readCredentials(user, options, terminal);
  const answer = await demandService({ url, caFile }, 'POST', '/v1/auth/token', {
    ...credentials,
    ...(options.lifetime === undefined ? {} : { lifetime: options.lifetime }),
    ...(options.label === undefined ? {} : { label: options.label }),
  });
  const { token } = answer;
  if (typeof token !== 'string') throw new ClientError(`the answer of ${url} has no token`);
  if (options.print) {
    await print(`${token}\n`);
    return;
  }
  const path = tokenFileOf(options, folders, settings);
  writeTokenFile(path, token);
  await print(`Access token saved to: ${path}\n`);
}

async function readCredentials(user: string | undefined, { passwordFile }: LoginOptions, terminal: Terminal) {
  try {
    const login = user ?? (await terminal.ask('Username: '));
    const password =
      passwordFile === undefined ? await terminal.askSecret('Password: ') : readPasswordFile(passwordFile);
    if (login === null || login === '' || password === null || password === '') {
      throw new ClientError('a login and a password are needed');
    }
    return { login, password };
  } finally {
    terminal.close();
  }
}

/** The first line of a file. */
export function readPasswordFile(file: string): string {
  return readFileSync(file, 'utf8').split(/\r?\n/)[0] ?? '';
}

function readSettings({ configFile }: LoginOptions, { folders }: AccessProcess): ClientSettings {
  return readClientSettings(CONFIGURATION, folders, configFile);
}

function tokenFileOf({ tokenFile }: LoginOptions, folders: ClientFolders, settings: ClientSettings): string {
  const path = tokenFile ?? textSetting(settings, 'token-file');
  return path === undefined ? usualTokenFile(folders) : expandHome(path, folders);
}
