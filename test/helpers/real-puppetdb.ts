import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { hasPostgres, startPostgres } from './real-postgres.ts';
import { end, listFamily, readResident, readShare, waitForStart } from './real-process.ts';

const JAR = '/usr/share/puppetdb/puppetdb.jar';

/** A PuppetDB and its PostgreSQL, on loopback, with data of their own. */
export interface RealPuppetdb {
  readonly url: string;
  /** The resident memory of PuppetDB, and the shared-once memory of PostgreSQL, in bytes. */
  readMemory(): number;
  stop(): Promise<void>;
}

/** Whether Debian's `puppetdb` and `postgresql` are installed. */
export function hasPuppetdb(): boolean {
  return existsSync(JAR) && hasPostgres();
}

/**
 * Starts both without data; takes 40 seconds of CPU. `say` is told now and then what the start
 * waits for. Throws, with the end of the log, when one of them ends or does not answer in time.
 */
export async function startPuppetdb(say: (line: string) => void = () => undefined): Promise<RealPuppetdb> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-puppetdb-'));
  chmodSync(folder, 0o777);
  const [database, port] = [await findFreePort(), await findFreePort()];
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

function describeSettings(folder: string, database: number, port: number): string {
  const sections = {
    global: { vardir: join(folder, 'vardir'), 'logging-config': join(folder, 'logback.xml') },
    database: {
      subname: `//127.0.0.1:${database}/puppetdb`,
      username: 'puppetdb',
      password: 'x',
      'report-ttl': '24000d',
      'node-ttl': '0s',
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
