import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, resolve } from 'node:path';
import { readAllowList } from '../access/accounts/allow-list.ts';
import { Authorization } from '../access/authorization/authorization.ts';
import { NO_TRUSTED_NAMES, readTrustedOidMapping } from '../access/ca/trusted-oid-mapping.ts';
import { autosignOf } from '../cli/commands/autosign.ts';
import { openEncProgram } from '../cli/commands/enc-program.ts';
import { rubyWarnings } from '../cli/commands/ruby-choice.ts';
import { readLeftOut } from '../config/left-out.ts';
import { checkEnvironment, environmentsOf, type ScanOptions } from '../fleet/code/scan-environment.ts';
import { MessagePolicy } from '../orchestrator/broker/message-policy.ts';
import { openKeyFileVault } from '../store/embedded/key-file-vault.ts';
import { readDatabasePlace } from '../store/postgres/place.ts';
import { hideLogins } from '../util/hide-logins.ts';
import { ListenFailed } from '../util/listening.ts';
import { readOwnUrl, UrlRefused, type UrlUse } from '../util/url-guard.ts';
import { demandControlRepo, NoControlRepo } from './control-repo.ts';
import { hasInventory } from './local-inventory.ts';
import type { LocalOptions } from './options.ts';

/**
 * An option of the start cannot be used; the message names the option, or the place that sets it,
 * and the reason.
 */
export class StartRefused extends Error {
  readonly option: string;
  readonly fault: string;

  constructor(option: string, fault: string, cause?: unknown, place = option) {
    super(`${place}: ${fault}`, { cause });
    this.name = 'StartRefused';
    this.option = option;
    this.fault = fault;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read',
  EISDIR: 'is a folder, not a file',
};

/**
 * Checks files, programs, the control repo and ports that the options name, before anything is
 * created, deployed or written. `uid`: the user of this process. Throws StartRefused.
 */
export async function checkStart(options: LocalOptions, uid: number): Promise<void> {
  try {
    await checkOptions(options, uid);
  } catch (error) {
    const place = error instanceof StartRefused ? options.places.get(error.option) : undefined;
    if (!(error instanceof StartRefused) || place === undefined) throw error;
    throw new StartRefused(error.option, error.fault, error.cause, place);
  }
}

async function checkOptions(options: LocalOptions, uid: number): Promise<void> {
  under('--ruby-user', () => rubyWarnings({ host: options.ruby, user: options.rubyUser ?? null }, uid));
  checkShared(options);
  checkFiles(options);
  checkTls(options);
  const { controlRepo, followLinks = false, leaveOut } = options;
  if (controlRepo !== undefined)
    under('--control-repo', () => checkControlRepo(controlRepo, { followLinks, leaveOut: readLeftOut(leaveOut) }));
  await checkPorts(options);
}

/** Checks what servers need that share a database. */
function checkShared(options: LocalOptions): void {
  const { database, serverName, controlRepo, example, puppetdbDatabase } = options;
  if (options.blobs !== undefined && database === undefined) {
    throw new StartRefused('--blobs', 'a bucket is for servers that share a database: set --database, too');
  }
  if (database === undefined) return;
  under('--database', () => readDatabasePlace(database));
  const refuse = (fault: string) => {
    throw new StartRefused('--database', fault);
  };
  if (serverName === undefined) refuse('the servers of a database need one name: set --server-name');
  if (controlRepo !== undefined || example) {
    refuse('its servers take code by upload or from git (understudy code sources), not from a folder');
  }
  if (hasInventory(options) && puppetdbDatabase === undefined) {
    refuse('its servers need one inventory: set --puppetdb-database');
  }
}

/** Checks an option; what is wrong with its value is a fault of the option. */
function under(option: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (error instanceof StartRefused || !(error instanceof Error)) throw error;
    throw new StartRefused(option, error.message, error);
  }
}

function checkFiles(options: LocalOptions): void {
  const { authConf, trustedOidMapping, pcpPolicy, autosign, enc, accessLog, caKeyFile } = options;
  const read = (option: string, file: string | undefined, parse: (text: string, name: string) => unknown) => {
    if (file !== undefined) under(option, () => parse(readNamed(option, file), file));
  };
  let names = NO_TRUSTED_NAMES;
  read('--trusted-oid-mapping', trustedOidMapping, (text, name) => {
    names = readTrustedOidMapping(text, name);
  });
  read('--auth-conf', authConf, (text, name) => Authorization.read(text, name, names));
  read('--pcp-policy', pcpPolicy, (text, name) => new MessagePolicy(Authorization.read(text, name)));
  read('--access-allow-list', options.accessAllowList, readAllowList);
  read('--puppetdb-allow-list', options.puppetdbAllowList, readAllowList);
  if (caKeyFile !== undefined) under('--ca-key-file', () => openKeyFileVault(caKeyFile, false));
  if (typeof autosign === 'string') under('--autosign', () => autosignOf(autosign, () => {}));
  // It checks the program, and asks it nothing.
  if (enc !== undefined) under('--enc', () => openEncProgram(enc, { now: () => 0 }));
  if (accessLog !== undefined) demandWritable('--access-log', accessLog);
}

function readNamed(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new StartRefused(option, `'${file}' ${REASONS[code] ?? 'cannot be read'}`, error);
  }
}

function demandWritable(option: string, file: string): void {
  const path = resolve(file);
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new StartRefused(option, `'${file}' cannot be written`, error);
  }
}

/** The certificate and the key of an upstream CA belong together. */
function checkTls(options: LocalOptions): void {
  const { tlsCertificate, tlsKey, tlsCa, caUpstream, compilerUpstream, compilerUpstreamCa } = options;
  const { reportUrl, reportUrlCa, alertUrl, alertUrlCa, puppetdb, forge } = options;
  demandUrl('--compiler-upstream', compilerUpstream, 'upstream', 'https://HOST:8140');
  demandUrl('--ca-upstream', caUpstream, 'upstream', 'https://HOST:8140');
  demandUrl('--report-url', reportUrl, 'delivery', 'https://HOST/PATH');
  demandUrl('--alert-url', alertUrl, 'delivery', 'https://HOST/PATH');
  demandUrl('--puppetdb', puppetdb, 'delivery', 'https://HOST:8081');
  demandUrl('--forge', forge, 'download', 'https://HOST');
  if (reportUrlCa !== undefined) readPem('--report-url-ca', reportUrlCa, toCertificate);
  if (alertUrlCa !== undefined) readPem('--alert-url-ca', alertUrlCa, toCertificate);
  if (compilerUpstreamCa !== undefined) readPem('--compiler-upstream-ca', compilerUpstreamCa, toCertificate);
  const certificate = tlsCertificate === undefined ? null : readPem('--tls-certificate', tlsCertificate, toCertificate);
  const key = tlsKey === undefined ? null : readPem('--tls-key', tlsKey, createPrivateKey);
  if (tlsCa !== undefined) readPem('--tls-ca', tlsCa, toCertificate);
  if (certificate !== null && key !== null && !certificate.checkPrivateKey(key)) {
    throw new StartRefused('--tls-key', `'${tlsKey}' is not the key of '${tlsCertificate}'`);
  }
  demandTogether(options);
}

/** Options whose URLs may have a login: it is sent with what is posted, and to one's own Forge. */
const WITH_LOGIN = ['--report-url', '--alert-url', '--forge'];

/** Options whose URLs name one address that is posted to. */
const WITH_PATH = ['--report-url', '--alert-url'];

/** Refuses a URL that is none of the form, and one to which no server is to connect. */
function demandUrl(option: string, text: string | undefined, use: UrlUse, example: string): void {
  if (text === undefined) return;
  const { protocol = '', username = '', pathname = '/' } = URL.canParse(text) ? new URL(text) : {};
  const hasPath = pathname !== '/' && use !== 'download' && !WITH_PATH.includes(option);
  if (!/^https?:$/.test(protocol) || hasPath) {
    throw new StartRefused(option, `'${hideLogins(text)}' is no address such as ${example}`);
  }
  if (username !== '' && !WITH_LOGIN.includes(option)) throw new StartRefused(option, 'its URL must have no login');
  try {
    readOwnUrl(text, use);
  } catch (error) {
    throw error instanceof UrlRefused ? new StartRefused(option, error.message, error) : error;
  }
}

/** The CA of another server needs the files of our certificate. */
function demandTogether({ caUpstream, tlsCertificate, tlsKey, tlsCa }: LocalOptions): void {
  const files = { '--tls-certificate': tlsCertificate, '--tls-key': tlsKey, '--tls-ca': tlsCa };
  const missing = Object.entries(files).flatMap(([option, file]) => (file === undefined ? [option] : []));
  if (caUpstream === undefined || missing.length === 0) return;
  throw new StartRefused('--ca-upstream', `it needs ${missing.join(' and ')}, too`);
}

function toCertificate(pem: string): X509Certificate {
  return new X509Certificate(pem);
}

function readPem<T>(option: string, file: string, parse: (pem: string) => T): T {
  const text = readNamed(option, file);
  try {
    return parse(text);
  } catch (error) {
    throw new StartRefused(option, `'${file}' cannot be read as PEM`, error);
  }
}

/** One environment at least can be deployed, as far as names and links of files show. */
function checkControlRepo(directory: string, scan: ScanOptions): void {
  demandControlRepo(directory);
  const faults: string[] = [];
  const names = environmentsOf(directory);
  for (const name of names) {
    try {
      checkEnvironment(directory, name, scan);
      return;
    } catch (error) {
      faults.push(`\n  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new NoControlRepo(
    `No environment of the control repo '${directory}' could be deployed:${names.length === 0 ? ' it has none' : faults.join('')}`,
  );
}

/**
 * Listens on all ports for a moment. A port that the operator did not name may be in use, except
 * that of the front door.
 */
async function checkPorts(options: LocalOptions): Promise<void> {
  const { host } = options;
  const ifNamed = (name: 'pcpPort' | 'accessPort' | 'orchestratorPort' | 'consolePort') =>
    options.named.has(name) ? options[name] : undefined;
  const needed: readonly (readonly [option: string, host: string, port: number | 'off' | undefined])[] = [
    ['--port', host, options.port],
    ['--pcp-port', host, ifNamed('pcpPort')],
    ['--access-port', host, ifNamed('accessPort')],
    ['--orchestrator-port', host, ifNamed('orchestratorPort')],
    ['--console-port', host, ifNamed('consolePort')],
    ['--puppetdb-tls-port', host, options.puppetdbTlsPort],
    ['--puppetdb-port', '127.0.0.1', options.puppetdbPort],
  ];
  const opened: Server[] = [];
  try {
    for (const [option, address, port] of needed) {
      if (typeof port === 'number' && port > 0) opened.push(await listenOnce(option, address, port));
    }
  } finally {
    await Promise.all(opened.map((server) => new Promise((done) => server.close(done))));
  }
}

/** An address that this machine does not have is a fault of `--host`. */
function refusePort(option: string, { message, cause }: ListenFailed): StartRefused {
  const isHost =
    cause instanceof Error && 'code' in cause && /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(String(cause.code));
  return new StartRefused(isHost ? '--host' : option, message, cause);
}

function listenOnce(option: string, host: string, port: number): Promise<Server> {
  return new Promise((done, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => reject(refusePort(option, new ListenFailed(host, port, error))));
    server.listen({ host, port }, () => done(server));
  });
}
