import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { ClientError } from '../../../../shared/cli/client/client-error.ts';
import { addAccessCommands } from '../../../../shared/cli/commands/access-commands.ts';
import { CommandError } from '../../../../shared/cli/commands/node-files.ts';
import { CONNECTIONS } from '../../../../shared/config/connections.ts';
import { type EdgeServer, startEdgeServer } from '../../../../shared/http/listener/edge-server.ts';
import { createAccessApp } from '../../../../shared/http/operator/access-app.ts';
import { type AccessWorld, CHEAP_COST, openAccessWorld } from '../../../helpers/access-world.ts';
import { ScriptedTerminal } from '../../../helpers/scripted-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-access-'));
const home = join(folder, 'home');
const global = join(folder, 'client-tools');
const tokenFile = join(home, '.puppetlabs/token');
let terminal: ScriptedTerminal;
let world: AccessWorld;
let server: EdgeServer;
let url: string;

beforeAll(async () => {
  world = openAccessWorld();
  await world.addUser('amari', [2]);
  const authority = await CertificateAuthority.open(world.documents, world.clock, {
    name: 'localhost',
    autosign: false,
    keyType: 'ec',
  });
  const { access, clock } = world;
  const log = { logError: () => undefined };
  server = await startEdgeServer({
    app: createAccessApp({ access, isRevoked: async () => false, clock, log }),
    credentials: await authority.serverCredentials('localhost', ['localhost']),
    trusted: authority.certificatePem,
    host: '127.0.0.1',
    port: 0,
    clock,
    connections: CONNECTIONS.access,
    reportFailure: () => undefined,
  });
  url = `https://localhost:${server.port}/rbac-api`;
  for (const path of [home, global, join(folder, 'data')]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'ca.pem'), authority.certificatePem);
  writeFileSync(
    join(global, 'puppet-access.conf'),
    JSON.stringify({ 'service-url': 'https://localhost:1/rbac-api', 'certificate-file': join(folder, 'ca.pem') }),
  );
  writeFileSync(join(folder, 'password'), 'Welc0me!\n');
});
beforeEach(() => {
  terminal = new ScriptedTerminal();
  rmSync(join(home, '.puppetlabs'), { recursive: true, force: true });
});
afterAll(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true });
});

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addAccessCommands(program, {
    print: async (text) => void printed.push(text),
    variables: {},
    passwordCost: CHEAP_COST,
    terminal,
    folders: { home, global },
  });
  await program.parseAsync(['access', ...args], { from: 'user' });
  return printed.join('');
}

function configure(settings: object): void {
  mkdirSync(join(home, '.puppetlabs/client-tools'), { recursive: true });
  writeFileSync(join(home, '.puppetlabs/client-tools/puppet-access.conf'), JSON.stringify(settings));
}

describe('access login', () => {
  it('asks for user and password, and keeps the token for its owner only', async () => {
    configure({ 'service-url': url });
    terminal.answers = ['amari', 'Welc0me!'];
    expect(await run('login', '--lifetime', '5h', '--label', 'laptop')).toBe(`Access token saved to: ${tokenFile}\n`);
    expect(terminal.questions).toEqual(['Username: ', 'Password: (hidden)']);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    const token = readFileSync(tokenFile, 'utf8');
    expect(await world.access.useToken(token)).toMatchObject({
      account: { login: 'amari' },
      token: { label: 'laptop', expiresAt: world.clock.time + 5 * 3600_000 },
    });
    expect(await run('show')).toBe(`${token}\n`);
    expect(await run('logout')).toBe(`Deleted the token file ${tokenFile}\n`);
    expect(await run('delete-token-file')).toBe(`There is no token file ${tokenFile}\n`);
    await expect(run('show')).rejects.toThrow(new ClientError(`there is no token in ${tokenFile}: log in first`));
  });

  it('takes flags before the files, and prints the token in place of keeping it', async () => {
    configure({ 'service-url': 'https://localhost:2/rbac-api' });
    const flags = ['--service-url', `${url}/`, '--password-file', join(folder, 'password'), '--print'];
    expect(await run('login', 'amari', ...flags)).toMatch(/^[\w-]{44}\n$/);
    expect(terminal.questions).toEqual([]);
    await expect(run('show')).rejects.toThrow(ClientError);
  });

  it('replaces an earlier token, also in a file of another name below the home folder', async () => {
    configure({ 'service-url': url, 'token-file': '~/mine/token' });
    mkdirSync(join(home, 'mine'), { recursive: true });
    writeFileSync(join(home, 'mine/token'), 'old', { mode: 0o644 });
    await run('login', 'amari', '--password-file', join(folder, 'password'));
    expect(statSync(join(home, 'mine/token')).mode & 0o777).toBe(0o600);
    expect(await run('show')).toMatch(/^[\w-]{44}\n$/);
  });

  it.each<[string, readonly string[], string]>([
    ['a wrong password', ['wrong'], 'The login or the password is wrong'],
    ['no password', [], 'a login and a password are needed'],
  ])('says what is wrong: %s', async (_, answers, message) => {
    configure({ 'service-url': url });
    terminal.answers = [...answers];
    await expect(run('login', 'amari')).rejects.toThrow(new ClientError(message));
  });

  it('names what it cannot use', async () => {
    terminal.answers = Array(8).fill('x');
    await expect(run('login', 'amari')).rejects.toThrow(/^https:\/\/localhost:1\/rbac-api cannot be reached: /);
    await expect(run('login', 'amari', '--service-url', 'http://x')).rejects.toThrow(
      "'http://x' is not an address of a service: it begins with https://",
    );
    await expect(run('login', 'amari', '--service-url', url, '--ca-cert', join(folder, 'none'))).rejects.toThrow(
      /^the certificates of the CA cannot be read: ENOENT/,
    );
    await expect(run('login', 'amari', '-c', join(folder, 'none'))).rejects.toThrow(
      new ClientError(`the configuration '${join(folder, 'none')}' does not exist`),
    );
    configure({ 'service-url': 7 });
    await expect(run('login', 'amari')).rejects.toThrow(new ClientError("the setting 'service-url' must be a text"));
  });

  it('does not trust a server of another CA', async () => {
    const other = await CertificateAuthority.open(openAccessWorld().documents, world.clock, {
      name: 'other',
      autosign: false,
      keyType: 'ec',
    });
    writeFileSync(join(folder, 'other.pem'), other.certificatePem);
    terminal.answers = ['Welc0me!'];
    await expect(run('login', 'amari', '--service-url', url, '--ca-cert', join(folder, 'other.pem'))).rejects.toThrow(
      /cannot be reached: .*(self-signed|unable to)/,
    );
  });
});

describe('access user and role', () => {
  const onData = (...args: readonly string[]) => run(...args, '--data', join(folder, 'data'));
  const password = ['--password-file', join(folder, 'password')];

  it('make the first user an administrator, and manage others', async () => {
    terminal.answers = ['Welc0me!', 'Welc0me!'];
    expect(await onData('user', 'create', 'boss')).toBe('boss created (Administrators)\n');
    expect(terminal.questions).toEqual(['Password: (hidden)', 'Again: (hidden)']);
    expect(await onData('user', 'create', 'amari', '--role', 'Viewers', '--role', '4', ...password)).toBe(
      'amari created (Viewers, Code Deployers)\n',
    );
    expect(await onData('user', 'create', 'uwe', ...password)).toBe('uwe created (no roles)\n');
    expect(await onData('user', 'create', 'admin', ...password)).toBe('admin created (superuser)\n');
    expect(await onData('user', 'revoke', 'uwe')).toBe('uwe revoked\n');
    expect((await onData('user', 'list', '--wide')).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')).toBe(
      'LOGIN     ID                                    STATE    LAST LOGIN  ROLES                   NOTE\n' +
        'admin     UUID  active   -           Administrators          -\n' +
        'amari     UUID  active   -           Viewers,Code Deployers  -\n' +
        'api_user  UUID  active   -           Administrators          no password\n' +
        'boss      UUID  active   -           Administrators          -\n' +
        'uwe       UUID  revoked  -           -                       -\n',
    );
    expect(JSON.parse(await onData('user', 'list', '--format', 'json', '--sort', 'state'))[0]).toMatchObject({
      login: 'admin',
      state: 'active',
      last_login: null,
      roles: ['Administrators'],
    });
    expect((await onData('role', 'list')).replaceAll(/ +/g, ' ').split('\n').slice(0, 5)).toEqual([
      'ID ROLE MEMBERS PERMISSIONS',
      '1 Administrators 3 *:*:*',
      expect.stringMatching(/^2 Operators 0 cert_requests:accept_reject:\*,/),
      '3 Viewers 1 console_page:view:*,nodes:view_data:*,orchestrator:view:*,node_groups:view:*',
      '4 Code Deployers 1 console_page:view:*,environment:deploy_code:*,environment:view_code:*',
    ]);
    expect(await onData('user', 'reinstate', 'uwe')).toBe('uwe reinstated\n');
    expect(await onData('user', 'password', 'uwe', ...password)).toBe('uwe has a new password\n');
    expect(await onData('token', 'create', 'uwe', '--lifetime', '1y', '--label', 'ci')).toMatch(/^[\w-]{44}\n$/);
    expect(await onData('user', 'revoke-tokens', 'uwe')).toBe('the tokens of uwe are revoked\n');
    expect(await onData('token', 'create', 'uwe', '--label', 'ci')).toMatch(/^[\w-]{44}\n$/);
  });

  it.each<[readonly string[], readonly string[], string]>([
    [['user', 'create', 'amari', ...password], [], "The login 'amari' is in use"],
    [['user', 'create', 'admin', ...password], [], "The login 'admin' is in use"],
    [['user', 'create', 'eve', '--role', 'Kings', ...password], [], "there is no role 'Kings'"],
    [['user', 'create', 'eve'], ['one two', 'two one'], 'the two passwords differ'],
    [['user', 'create', 'eve'], ['short', 'short'], 'A password has 6 to 1000 characters'],
    [['user', 'create', 'eve'], [], 'a password is needed: type it, or give --password-file'],
    [['user', 'revoke', 'nobody'], [], "there is no user 'nobody'"],
    [['token', 'create', 'nobody'], [], "there is no user 'nobody'"],
    [['token', 'create', 'uwe', '--label', 'ci'], [], "Another token of uwe has the label 'ci'"],
    [['token', 'create', 'uwe', '--lifetime', '11y'], [], "A lifetime of '11y' is longer than 10 years"],
    [['user', 'revoke', 'api_user'], [], "there is no user 'api_user'"],
  ])('refuse %j', async (args, answers, message) => {
    terminal.answers = [...answers];
    await expect(onData(...args)).rejects.toThrow(new CommandError(message));
  });
});
