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
import { checkEnvironment, environmentsOf } from '../fleet/code/scan-environment.ts';
import { ListenFailed } from '../http/listener/edge-server.ts';
import { MessagePolicy } from '../orchestrator/broker/message-policy.ts';
import { openKeyFileVault } from '../store/embedded/key-file-vault.ts';
import { demandControlRepo, NoControlRepo } from './control-repo.ts';
import type { LocalOptions } from './options.ts';

/** An option of the start cannot be used; the message names the option and the reason. */
export class StartRefused extends Error {
  constructor(option: string, fault: string, cause?: unknown) {
    super(`${option}: ${fault}`, { cause });
    this.name = 'StartRefused';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read',
  EISDIR: 'is a folder, not a file',
};

/**
 * Checks files, programs, the control repo and ports that the options name, before anything is
 * created, deployed or written. `uid`: the user of this process. Throws StartRefused,
 * InvalidAuthorization, StoreRefused, NoControlRepo and ListenFailed.
 */
export async function checkStart(options: LocalOptions, uid: number): Promise<void> {
  rubyWarnings({ host: options.ruby, user: options.rubyUser ?? null }, uid);
  checkFiles(options);
  checkTls(options);
  if (options.controlRepo !== undefined) checkControlRepo(options.controlRepo, options.followLinks ?? false);
  await checkPorts(options);
}

function checkFiles(options: LocalOptions): void {
  const { authConf, trustedOidMapping, pcpPolicy, autosign, enc, accessLog, caKeyFile } = options;
  const read = (option: string, file: string | undefined, parse: (text: string, name: string) => unknown) => {
    if (file !== undefined) parse(readNamed(option, file), file);
  };
  let names = NO_TRUSTED_NAMES;
  read('--trusted-oid-mapping', trustedOidMapping, (text, name) => {
    names = readTrustedOidMapping(text, name);
  });
  read('--auth-conf', authConf, (text, name) => Authorization.read(text, name, names));
  read('--pcp-policy', pcpPolicy, (text, name) => new MessagePolicy(Authorization.read(text, name)));
  read('--access-allow-list', options.accessAllowList, readAllowList);
  read('--puppetdb-allow-list', options.puppetdbAllowList, readAllowList);
  if (caKeyFile !== undefined) openKeyFileVault(caKeyFile, false);
  if (typeof autosign === 'string') autosignOf(autosign, () => {});
  // It checks the program, and asks it nothing.
  if (enc !== undefined) openEncProgram(enc, { now: () => 0 });
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
  const { reportUrl, reportUrlCa } = options;
  if (compilerUpstream !== undefined && !/^https:\/\/[^/]+\/?$/.test(compilerUpstream)) {
    throw new StartRefused('--compiler-upstream', `'${compilerUpstream}' is no address such as https://HOST:8140`);
  }
  if (reportUrl !== undefined && !(URL.canParse(reportUrl) && /^https?:/.test(reportUrl))) {
    throw new StartRefused('--report-url', `'${reportUrl}' is no address such as https://HOST/PATH`);
  }
  if (reportUrlCa !== undefined) readPem('--report-url-ca', reportUrlCa, toCertificate);
  if (compilerUpstreamCa !== undefined) readPem('--compiler-upstream-ca', compilerUpstreamCa, toCertificate);
  if (caUpstream !== undefined && !URL.canParse(caUpstream)) {
    throw new StartRefused('--ca-upstream', `'${caUpstream}' is no URL`);
  }
  const certificate = tlsCertificate === undefined ? null : readPem('--tls-certificate', tlsCertificate, toCertificate);
  const key = tlsKey === undefined ? null : readPem('--tls-key', tlsKey, createPrivateKey);
  if (tlsCa !== undefined) readPem('--tls-ca', tlsCa, toCertificate);
  if (certificate !== null && key !== null && !certificate.checkPrivateKey(key)) {
    throw new StartRefused('--tls-key', `'${tlsKey}' is not the key of '${tlsCertificate}'`);
  }
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

/** One environment at least can be deployed, as far as names and links of files tell. */
function checkControlRepo(directory: string, followLinks: boolean): void {
  demandControlRepo(directory);
  const faults: string[] = [];
  const names = environmentsOf(directory);
  for (const name of names) {
    try {
      checkEnvironment(directory, name, { followLinks });
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
  const needed: readonly (readonly [string, number | 'off' | undefined])[] = [
    [host, options.port],
    [host, options.isPcpPortNamed ? options.pcpPort : undefined],
    [host, options.isAccessPortNamed ? options.accessPort : undefined],
    [host, options.isOrchestratorPortNamed ? options.orchestratorPort : undefined],
    [host, options.puppetdbTlsPort],
    ['127.0.0.1', options.puppetdbPort],
  ];
  const opened: Server[] = [];
  try {
    for (const [address, port] of needed) {
      if (typeof port === 'number' && port > 0) opened.push(await listenOnce(address, port));
    }
  } finally {
    await Promise.all(opened.map((server) => new Promise((done) => server.close(done))));
  }
}

function listenOnce(host: string, port: number): Promise<Server> {
  return new Promise((done, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => reject(new ListenFailed(host, port, error)));
    server.listen({ host, port }, () => done(server));
  });
}
