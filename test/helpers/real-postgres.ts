import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { waitForStart } from './real-process.ts';

const POSTGRES = '/usr/lib/postgresql';

/** Whether Debian's `postgresql` is installed. */
export function hasPostgres(): boolean {
  return existsSync(POSTGRES) && readdirSync(POSTGRES).length > 0;
}

/**
 * Starts a PostgreSQL on loopback with an empty database `puppetdb`, of a user of that name without
 * password. PostgreSQL does not run as root: then it runs as the package's user, who must be
 * allowed to write to the folder. `onStart` gets its process before it answers.
 */
export async function startPostgres(
  folder: string,
  port: number,
  onStart: (child: ChildProcess) => void,
  say: (line: string) => void,
): Promise<ChildProcess> {
  const options = postgresOptions(folder);
  const run = (name: string, ...args: readonly string[]) => runAsPostgres(postgresProgram(name), args, folder);
  const data = join(folder, 'data');
  run('initdb', '-D', data, '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-U', 'puppetdb');
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder, shared_buffers: '256MB' };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = join(folder, 'postgres.log');
  const output = openSync(log, 'a');
  const child = spawn(postgresProgram('postgres'), ['-D', data, ...flags], {
    stdio: ['ignore', output, output],
    ...options,
  });
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

/** The path of one of PostgreSQL's own programs. */
export function postgresProgram(name: string): string {
  return join(POSTGRES, readdirSync(POSTGRES).toSorted().at(-1) ?? '', 'bin', name);
}

/** Runs a program as a user who may run PostgreSQL, in a folder where that user may write. */
export function runAsPostgres(program: string, args: readonly string[], folder: string): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...postgresOptions(folder) });
}

/** Makes a folder one of the user who runs PostgreSQL. */
export function giveToPostgres(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = findUser('postgres');
  chownSync(folder, uid, gid);
}

// Not through runuser, which keeps the signal for itself.
function postgresOptions(folder: string) {
  return { cwd: folder, ...(process.getuid?.() === 0 ? findUser('postgres') : {}) };
}

function findUser(name: string): { readonly uid: number; readonly gid: number } {
  const read = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}
