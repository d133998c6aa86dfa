import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
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
/** A start takes a minute of CPU, and a busy machine gives a process a tenth of a core. */
const START_MS = 1_200_000;
/** Milliseconds between two lines that say what a start waits for. */
const SAY_MS = 30_000;
/** Milliseconds that a process has to end by itself. */
const END_MS = 30_000;
/** The lines of a log that an error has. */
const LOG_LINES = 30;

/** A PuppetDB and its PostgreSQL, on loopback, with data of their own below the temporary folder. */
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

/**
 * Starts both without data; takes 40 seconds of CPU. `say` is told now and then what the start
 * waits for. Throws, with the end of the log, when one of them ends or does not answer in time.
 */
export async function startPuppetdb(say: (line: string) => void = () => undefined): Promise<RealPuppetdb> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-puppetdb-'));
  chmodSync(folder, 0o777);
  const [database, port] = [await findPort(), await findPort()];
  const started: ChildProcess[] = [];
  const stop = async () => {
    for (const child of started.toReversed()) await end(child, child === started[0] ? 'SIGINT' : 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const postgres = await startPostgres(folder, database, (child) => started.push(child), say);
    const java = startJava(folder, database, port);
    started.push(java);
    const url = `http://127.0.0.1:${port}`;
    const name = `PuppetDB at ${url}`;
    await waitForStart({ name, child: java, log: join(folder, 'puppetdb.log'), isUp: () => isUp(url), say });
    const readMemory = () =>
      readResident(java.pid ?? 0) + listFamily(postgres.pid ?? 0).reduce((sum, id) => sum + readShare(id), 0);
    return { url, readMemory, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startJava(folder: string, database: number, port: number): ChildProcess {
  mkdirSync(join(folder, 'conf.d'));
  mkdirSync(join(folder, 'vardir'));
  writeFileSync(join(folder, 'conf.d/all.ini'), describeSettings(folder, database, port));
  copyFileSync('/etc/puppetdb/conf.d/auth.conf', join(folder, 'conf.d/auth.conf'));
  writeFileSync(join(folder, 'logback.xml'), LOGGING);
  const services = ['clojure.main', '-m', 'puppetlabs.puppetdb.core', 'services', '--config', join(folder, 'conf.d')];
  const bootstrap = ['--bootstrap-config', '/etc/puppetdb/bootstrap.cfg'];
  const log = openSync(join(folder, 'puppetdb.log'), 'a');
  return spawn('java', ['-Xmx1g', '-cp', JAR, ...services, ...bootstrap], { stdio: ['ignore', log, log] });
}

const LOGGING = `<configuration>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d %-5p %c{2} %m%n</pattern></encoder>
  </appender>
  <root level="warn"><appender-ref ref="out"/></root>
</configuration>`;

/** PostgreSQL does not run as root: then it runs as the package's user. */
async function startPostgres(
  folder: string,
  port: number,
  onStart: (child: ChildProcess) => void,
  say: (line: string) => void,
): Promise<ChildProcess> {
  const version = readdirSync(POSTGRES).toSorted().at(-1) ?? '';
  const program = (name: string) => join(POSTGRES, version, 'bin', name);
  // Not through runuser, which keeps the signal for itself.
  const options = { cwd: folder, ...(process.getuid?.() === 0 ? findUser('postgres') : {}) };
  const run = (name: string, ...args: readonly string[]) =>
    execFileSync(program(name), args, { stdio: 'pipe', ...options });
  const data = join(folder, 'data');
  run('initdb', '-D', data, '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-U', 'puppetdb');
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder, shared_buffers: '256MB' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = join(folder, 'postgres.log');
  const output = openSync(log, 'a');
  const child = spawn(program('postgres'), ['-D', data, ...flags], { stdio: ['ignore', output, output], ...options });
  onStart(child);
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'puppetdb'];
  const isReady = async () => {
    try {
      run('pg_isready', ...connection);
      return true;
    } catch {
      return false;
    }
  };
  await waitForStart({ name: `PostgreSQL on port ${port}`, child, log, isUp: isReady, say });
  run('createdb', ...connection, 'puppetdb');
  run('psql', ...connection, 'puppetdb', '-c', 'create extension pg_trgm');
  return child;
}

function findUser(name: string): { readonly uid: number; readonly gid: number } {
  const read = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
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

/** A process that starts. */
export interface Start {
  readonly name: string;
  readonly child: ChildProcess;
  /** The file with what it prints. */
  readonly log: string;
  isUp(): Promise<boolean>;
  say(line: string): void;
}

/** Waits until a process answers. Throws, with the end of its log, when it ends or takes too long. */
export async function waitForStart({ name, child, log, isUp, say }: Start): Promise<void> {
  const began = performance.now();
  let said = began;
  while (!(await isUp())) {
    const now = performance.now();
    const outcome = child.exitCode ?? child.signalCode;
    if (outcome !== null) throw new Error(`${name} ended with ${outcome} before it answered\n${readEnd(log)}`);
    const most = START_MS / 1000;
    if (now > began + START_MS) throw new Error(`${name} did not answer within ${most} s\n${readEnd(log)}`);
    if (now > said + SAY_MS) {
      say(`waits for ${name}: ${Math.round((now - began) / 1000)} of at most ${most} s`);
      said = now;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function readEnd(log: string): string {
  const lines = readFile(log).trimEnd().split('\n').slice(-LOG_LINES);
  return [`the end of ${log}:`, ...lines].join('\n');
}

export async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Asks a process to end, and kills it when it does not. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(timer);
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
