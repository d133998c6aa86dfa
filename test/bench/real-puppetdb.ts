import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JAR = '/usr/share/puppetdb/puppetdb.jar';
const POSTGRES = '/usr/lib/postgresql';
const START_MS = 600_000;

/** A PuppetDB and its PostgreSQL that a benchmark started, on loopback. */
export interface RealPuppetdb {
  readonly url: string;
  /** The resident memory of PuppetDB, and the shared-once memory of PostgreSQL, in bytes. */
  readMemory(): number;
  stop(): Promise<void>;
}

/** Whether Debian's `puppetdb` and `postgresql` are installed. */
export function hasPuppetdb(): boolean {
  return existsSync(JAR) && existsSync(POSTGRES) && readdirSync(POSTGRES).length > 0;
}

/** Starts both without data; takes a minute of CPU. */
export async function startPuppetdb(): Promise<RealPuppetdb> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-puppetdb-'));
  chmodSync(folder, 0o777);
  const [database, port] = [await findPort(), await findPort()];
  const postgres = await startPostgres(folder, database);
  mkdirSync(join(folder, 'conf.d'));
  mkdirSync(join(folder, 'vardir'));
  writeFileSync(join(folder, 'conf.d/all.ini'), describeSettings(folder, database, port));
  copyFileSync('/etc/puppetdb/conf.d/auth.conf', join(folder, 'conf.d/auth.conf'));
  writeFileSync(join(folder, 'logback.xml'), '<configuration><root level="error"/></configuration>');
  const services = ['clojure.main', '-m', 'puppetlabs.puppetdb.core', 'services', '--config', join(folder, 'conf.d')];
  const bootstrap = ['--bootstrap-config', '/etc/puppetdb/bootstrap.cfg'];
  const java = spawn('java', ['-Xmx1g', '-cp', JAR, ...services, ...bootstrap], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await end(java, 'SIGTERM');
    await end(postgres, 'SIGINT');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil(() => {
      const outcome = java.exitCode ?? java.signalCode;
      if (outcome !== null) throw new Error(`PuppetDB ended with ${outcome} before it answered`);
      return isUp(url);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    readMemory: () =>
      readResident(java.pid ?? 0) + listFamily(postgres.pid ?? 0).reduce((sum, id) => sum + readShare(id), 0),
    stop,
  };
}

/** PostgreSQL does not run as root: then it runs as the package's user. */
async function startPostgres(folder: string, port: number): Promise<ChildProcess> {
  const version = readdirSync(POSTGRES).toSorted().at(-1) ?? '';
  const program = (name: string) => join(POSTGRES, version, 'bin', name);
  const user = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : ['env'];
  const [command = 'env', ...prefix] = user;
  const run = (name: string, ...args: readonly string[]) =>
    execFileSync(command, [...prefix, program(name), ...args], { stdio: 'pipe', cwd: folder });
  const data = join(folder, 'data');
  run('initdb', '-D', data, '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-U', 'puppetdb');
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder, shared_buffers: '256MB' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(command, [...prefix, program('postgres'), '-D', data, ...flags], {
    stdio: 'ignore',
    cwd: folder,
  });
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'puppetdb'];
  const isReady = async () => {
    try {
      run('pg_isready', ...connection);
      return true;
    } catch {
      return false;
    }
  };
  await waitUntil(isReady);
  run('createdb', ...connection, 'puppetdb');
  run('psql', ...connection, 'puppetdb', '-c', 'create extension pg_trgm');
  return server;
}

function describeSettings(folder: string, database: number, port: number): string {
  const sections = {
    global: { vardir: join(folder, 'vardir'), 'logging-config': join(folder, 'logback.xml') },
    database: {
      subname: `//127.0.0.1:${database}/puppetdb`,
      username: 'puppetdb',
      password: 'x',
      'report-ttl': '24000d',
    },
    jetty: { host: '127.0.0.1', port },
    puppetdb: { 'disable-update-checking': true },
  };
  return Object.entries(sections)
    .map(([name, values]) =>
      [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${value}`), ''].join('\n'),
    )
    .join('\n');
}

/** Whether an inventory answers queries. */
export async function isUp(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/pdb/query/v4/nodes?limit=1`).catch(() => null);
  return answer?.ok === true;
}

export async function waitUntil(check: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + START_MS;
  while (!(await check())) {
    if (Date.now() > until) throw new Error('it did not start within ten minutes');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

export async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

/** A process and its descendants. */
function listFamily(id: number): readonly number[] {
  const children = readFile(`/proc/${id}/task/${id}/children`).split(' ').filter(Boolean).map(Number);
  return [id, ...children.flatMap(listFamily)];
}

export function readResident(id: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFile(`/proc/${id}/status`))?.[1] ?? 0);
}

/** Its share of memory: what processes have in common counts once among them all. */
function readShare(id: number): number {
  return 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFile(`/proc/${id}/smaps_rollup`))?.[1] ?? 0);
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
