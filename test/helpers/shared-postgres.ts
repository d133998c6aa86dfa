import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PostgresConnection } from '../../shared/store/postgres/connection.ts';
import { readDatabasePlace } from '../../shared/store/postgres/place.ts';
import { prepareTables } from '../../shared/store/postgres/schema.ts';
import { findFreePort } from './free-port.ts';
import { giveToPostgres, hasPostgres, postgresProgram, runAsPostgres } from './real-postgres.ts';

const USER = 'understudy';
/** A database with all tables, of which the others are copies. */
const TEMPLATE = 'template_understudy';
const START_MS = 120_000;

const folderOfRun = () => join(tmpdir(), 'shared-postgres');
const portFile = () => join(folderOfRun(), 'port');
const dataOf = (folder: string) => join(folder, 'data');

/**
 * Global setup of vitest: ends the PostgreSQL of the run. The first test that needs it starts it.
 */
export function setup(): () => void {
  return () => {
    const folder = folderOfRun();
    if (!existsSync(dataOf(folder))) return;
    runAsPostgres(postgresProgram('pg_ctl'), ['stop', '-D', dataOf(folder), '-m', 'immediate', '-s'], folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Whether tests with a PostgreSQL can run here. */
export function canSharePostgres(): boolean {
  return hasPostgres();
}

let databases = 0;

/** The URL of a new database with all tables, in the PostgreSQL of the run. */
export async function createTestDatabase(place = ''): Promise<string> {
  const port = await findSharedPostgres();
  databases += 1;
  const name = `test_${process.pid}_${databases}_${Math.random().toString(36).slice(2, 8)}`;
  await execute(port, 'postgres', `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy ${place}`);
  return urlOf(port, name);
}

/** A database on a small file system of its own. */
interface SmallDatabase {
  readonly url: string;
  /** The folder that the file system is mounted on. */
  readonly folder: string;
  drop(): Promise<void>;
}

/**
 * Creates a database with all tables on a file system in memory with so many bytes; null where
 * nothing can be mounted.
 */
export async function createSmallDatabase(parent: string, bytes: number): Promise<SmallDatabase | null> {
  const folder = join(parent, 'small');
  mkdirSync(folder);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'understudy-test', folder]);
  if (mounted.status !== 0) return null;
  const unmount = () => spawnSync('umount', ['--lazy', folder]);
  try {
    const place = join(folder, 'postgres');
    mkdirSync(place);
    giveToPostgres(place);
    const port = await findSharedPostgres();
    const name = `small_${process.pid}`;
    await execute(port, 'postgres', `CREATE TABLESPACE ${name} LOCATION '${place}'`);
    const url = await createTestDatabase(`TABLESPACE ${name}`);
    const drop = async () => {
      await execute(port, 'postgres', `DROP DATABASE ${url.slice(url.lastIndexOf('/') + 1)} WITH (FORCE)`);
      await execute(port, 'postgres', `DROP TABLESPACE ${name}`);
      unmount();
    };
    return { url, folder, drop };
  } catch (error) {
    unmount();
    throw error;
  }
}

/** The process of the PostgreSQL of the run, of which the others are children. */
export function findPostmaster(): number {
  return Number(readFileSync(join(dataOf(folderOfRun()), 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function urlOf(port: number, database: string): string {
  return `postgresql://${USER}@127.0.0.1:${port}/${database}`;
}

async function execute(port: number, database: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(port, database) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The port of the PostgreSQL of the run. The first who asks starts it, the others wait. */
async function findSharedPostgres(): Promise<number> {
  const folder = folderOfRun();
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return waitForPort();
  }
  const port = await findFreePort();
  start(folder, port);
  await execute(port, 'postgres', `CREATE DATABASE ${TEMPLATE} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`);
  const database = new PostgresConnection(readDatabasePlace(urlOf(port, TEMPLATE)), { connections: 1, name: 'test' });
  await prepareTables(database);
  await database.close();
  const draft = join(folder, 'port.draft');
  writeFileSync(draft, String(port));
  renameSync(draft, portFile());
  return port;
}

/** Without sync: the machine is not switched off in a test. */
function start(folder: string, port: number): void {
  chmodSync(folder, 0o777);
  const run = (name: string, ...args: readonly string[]) => runAsPostgres(postgresProgram(name), args, folder);
  const data = dataOf(folder);
  run('initdb', '-D', data, '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-U', USER, '-N', '--data-checksums');
  const settings = {
    ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', full_page_writes: 'off' },
    ...{ shared_buffers: '128MB', max_connections: 400, autovacuum: 'off' },
    // For databases that ask for it: see `StatementCounts`.
    ...{ shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'none' },
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  run('pg_ctl', 'start', '-D', data, '-w', '-s', '-l', join(folder, 'log'), '-o', flags.join(' '));
}

async function waitForPort(): Promise<number> {
  const began = performance.now();
  while (!existsSync(portFile())) {
    if (performance.now() - began > START_MS) throw new Error('the PostgreSQL of the run did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return Number(readFileSync(portFile(), 'utf8'));
}
