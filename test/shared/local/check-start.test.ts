import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-check-'));
const at = (name: string) => join(folder, name);
let taken: Server;
let port: number;

beforeAll(async () => {
  mkdirSync(at('empty'));
  mkdirSync(at('without/environments'), { recursive: true });
  mkdirSync(at('hollow/environments/production/docs'), { recursive: true });
  writeFileSync(at('rules.conf'), 'authorization: {');
  writeFileSync(at('short-key'), 'short');
  writeFileSync(at('no.pem'), 'no PEM');
  for (const name of ['one', 'two']) {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...files, '-subj', `/CN=${name}`], { stdio: 'ignore' });
  }
  taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  port = (taken.address() as AddressInfo).port;
});
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

function start(args: readonly string[]) {
  const flags = ['--data', at('data'), '--port', '0', ...args];
  return startLocalServer(readLocalOptions(flags, { workers: 1 }), {
    hostname: 'localhost',
    uid: 1000,
    workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
    print: () => {},
    onFailure: () => {},
    readLoad: () => 0,
  });
}

const upstream = ['--ca-upstream', 'https://ca:8140'];
const tls = (certificate: string, key: string) => ['--tls-certificate', at(certificate), '--tls-key', at(key)];
const busy = (option: string) => () =>
  `${option}: Cannot listen on 127.0.0.1:${port}: the port is in use by another program`;

describe('a start that cannot succeed is refused before the data directory exists', () => {
  it.each<readonly [what: string, args: () => readonly string[], message: () => string]>([
    ['a port in use', () => ['--port', `${port}`], busy('--port')],
    ['the named port of the broker in use', () => ['--pcp-port', `${port}`], busy('--pcp-port')],
    ['the port of the inventory in use', () => ['--puppetdb-port', `${port}`], busy('--puppetdb-port')],
    ...(['access', 'orchestrator', 'console', 'puppetdb-tls'] as const).map(
      (name) =>
        [`the named port of ${name} in use`, () => [`--${name}-port`, `${port}`], busy(`--${name}-port`)] as const,
    ),
    [
      'an address of another machine',
      () => ['--host', '192.0.2.1', '--port', '65531'],
      () => '--host: Cannot listen on 192.0.2.1:65531: this machine has no such address',
    ],
    ['no file of rules', () => ['--auth-conf', '/nope'], () => "--auth-conf: '/nope' does not exist"],
    [
      'invalid rules',
      () => ['--auth-conf', at('rules.conf')],
      () =>
        `--auth-conf: ${at('rules.conf')}: it cannot be read: String: 1: expecting a close brace or a field name here, got end of file`,
    ],
    ['no policy of the broker', () => ['--pcp-policy', '/nope'], () => "--pcp-policy: '/nope' does not exist"],
    [
      'a folder for a file',
      () => ['--access-allow-list', folder],
      () => `--access-allow-list: '${folder}' is a folder, not a file`,
    ],
    [
      'no address for reports',
      () => ['--report-url', 'foreman'],
      () => "--report-url: 'foreman' is no address such as https://HOST/PATH",
    ],
    [
      'another scheme for reports, with a login',
      () => ['--report-url', 'ftp://foreman:secret@foreman.example.com'],
      () => "--report-url: 'ftp://foreman:…@foreman.example.com' is no address such as https://HOST/PATH",
    ],
    [
      'no PEM for a webhook, whose address has a path',
      () => ['--alert-url', 'https://hooks.example.com/services/T0/B0', '--alert-url-ca', at('no.pem')],
      () => `--alert-url-ca: '${at('no.pem')}' cannot be read as PEM`,
    ],
    [
      'a PuppetDB with a login and a path',
      () => ['--puppetdb', 'https://user:secret@puppetdb.example.com/pdb'],
      () => "--puppetdb: 'https://…@puppetdb.example.com/pdb' is no address such as https://HOST:8081",
    ],
    [
      'an upstream at the address of the metadata of clouds',
      () => ['--compiler-upstream', 'https://169.254.169.254:8140'],
      () =>
        "--compiler-upstream: 'https://169.254.169.254:8140' is refused: 169.254.169.254 is an address of the machine's own link",
    ],
    [
      'reports to the link in another notation',
      () => ['--report-url', 'http://[::ffff:a9fe:a9fe]/reports'],
      () =>
        "--report-url: 'http://[::ffff:a9fe:a9fe]/reports' is refused: ::ffff:a9fe:a9fe is an address of the machine's own link",
    ],
    [
      'an upstream without TLS',
      () => ['--compiler-upstream', 'http://puppet.example.com:8140'],
      () => "--compiler-upstream: 'http://puppet.example.com:8140' is refused: only https:// may be written there",
    ],
    [
      'a PuppetDB with a login',
      () => ['--puppetdb', 'https://user:secret@puppetdb.example.com'],
      () => '--puppetdb: its URL must have no login',
    ],
    ['no autosign file', () => ['--autosign', '/nope'], () => "--autosign: the autosign file '/nope' does not exist"],
    ['no ENC', () => ['--enc', '/nope x'], () => "--enc: the external node classifier '/nope' does not exist"],
    [
      'a short key',
      () => ['--ca-key-file', at('short-key')],
      () => `--ca-key-file: the key file '${at('short-key')}' has fewer than 12 characters`,
    ],
    [
      'no folder of the access log',
      () => ['--access-log', '/nope/log'],
      () => "--access-log: '/nope/log' cannot be written",
    ],
    [
      'another user for Ruby',
      () => ['--ruby', 'process', '--ruby-user', '5:5'],
      () => '--ruby-user: only root can run Ruby as another user (--ruby-user)',
    ],
    [
      'no PEM',
      () => [...upstream, '--tls-ca', at('no.pem')],
      () => `--tls-ca: '${at('no.pem')}' cannot be read as PEM`,
    ],
    [
      'the key of another certificate',
      () => tls('one.pem', 'two.key'),
      () => `--tls-key: '${at('two.key')}' is not the key of '${at('one.pem')}'`,
    ],
    [
      'the CA of another server without our certificate',
      () => upstream,
      () => '--ca-upstream: it needs --tls-certificate and --tls-key and --tls-ca, too',
    ],
    [
      'no control repo',
      () => ['--control-repo', '/nope'],
      () => "--control-repo: The control repo '/nope' is not a directory",
    ],
    [
      'an empty control repo',
      () => ['--control-repo', at('empty')],
      () =>
        `--control-repo: The control repo '${at('empty')}' has no environment: it contains neither a folder in '${at('empty/environments')}' nor a folder 'manifests'`,
    ],
    [
      'environments without files',
      () => ['--control-repo', at('hollow')],
      () =>
        `--control-repo: No environment of the control repo '${at('hollow')}' could be deployed:\n  production: '${at('hollow/environments/production')}' is no environment: there is no file in it of environment.conf, hiera.yaml, fileserver.conf, manifests, modules or the like`,
    ],
  ])('%s', async (_, args, message) => {
    const before = readdirSync(folder);
    await expect(start(args())).rejects.toMatchObject({ message: message() });
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(at('data'))).toBe(false);
  });

  it('names the line of the file, or the variable, that sets the option', async () => {
    const file = at('server.yaml');
    writeFileSync(file, '# settings\nauth-conf: /nope\n');
    const [data, ports] = [
      ['--data', at('data')],
      ['--port', '0'],
    ];
    const begin = (args: readonly string[], variables = {}) =>
      startLocalServer(readLocalOptions([...data, ...ports, ...args], { workers: 1 }, variables), {
        ...{ hostname: 'localhost', uid: 1000, print: () => {}, onFailure: () => {}, readLoad: () => 0 },
        workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
      });
    const fault = "'/nope' does not exist";
    await expect(begin(['--config', file])).rejects.toThrow(`${file}:2: auth-conf: ${fault}`);
    await expect(begin([], { UNDERSTUDY_AUTH_CONF: '/nope' })).rejects.toThrow(`UNDERSTUDY_AUTH_CONF: ${fault}`);
    await expect(begin(['--config', file, '--auth-conf=/nope'])).rejects.toThrow(`--auth-conf: ${fault}`);
    rmSync(file);
  });
});
