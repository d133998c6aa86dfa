import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { InvalidAuthorization } from '../access/authorization/place.ts';
import { DatabaseUnavailable, StatementTimedOut } from '../inventory/database/inventory-database.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { ListenFailed } from '../util/listening.ts';
import { StartRefused } from './check-start.ts';
import { NoControlRepo } from './control-repo.ts';
import type { LocalServer } from './local-server.ts';

/** Errors that the user can fix. */
const EXPECTED = [
  DatabaseUnavailable,
  InvalidAuthorization,
  ListenFailed,
  NoControlRepo,
  StartRefused,
  StatementTimedOut,
  StoreRefused,
  StoreUnavailable,
];

/** Describes the error that ends a server: its message; a bug of ours has its stack. */
export function describeStartFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = EXPECTED.some((kind) => error instanceof kind) || isSystemError(error);
  return isExpected ? error.message : (error.stack ?? error.message);
}

/** Whether a file or folder cannot be used; the message names it. */
function isSystemError(error: Error): boolean {
  return 'code' in error && 'syscall' in error;
}

/**
 * Stops the server at SIGTERM and SIGINT, then ends the process; `note` is given both. A signal may
 * arrive twice: from the terminal, and from npm. SIGHUP has logs opened again, unless it says that
 * the terminal is gone.
 */
export function handleSignals(server: LocalServer, fail: (error: unknown) => void, note: (what: string) => void): void {
  if (!process.stdin.isTTY) process.on('SIGHUP', () => server.reopenLogs());
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      note(`stopping (${signal}): requests and compiles in progress may end`);
      server.stop().then(() => {
        note('stopped');
        process.exit(0);
      }, fail);
    });
  }
}

/**
 * Makes this process run as `user` (`USER[:GROUP]`, names or numbers; by default the user's primary
 * group), in no other group. A data directory that does not exist yet is created for that
 * user. Throws StartRefused when this process is not root, or there is no such user.
 */
export function dropPrivileges(user: string, data: string): void {
  const [, name = '', named] = /^([\w.-]+)(?::([\w.-]+))?$/.exec(user) ?? [];
  if (name === '') throw new StartRefused('--user', `'${user}' is neither USER nor USER:GROUP`);
  if (process.getuid?.() !== 0) throw new StartRefused('--user', 'only root can become another user');
  const uid = toId(name);
  try {
    const gid = named === undefined ? primaryGroupOf(name) : toId(named);
    process.setgid?.(gid);
    process.setgroups?.([gid]);
    process.seteuid?.(uid);
    const own = { uid: process.geteuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    process.seteuid?.(0);
    if (mkdirSync(data, { recursive: true, mode: 0o700 }) !== undefined) chownSync(data, own.uid, own.gid);
    process.setuid?.(uid);
  } catch (error) {
    throw new StartRefused('--user', `'${user}': ${error instanceof Error ? error.message : error}`, error);
  }
}

/** Throws an Error for an unknown user. */
function primaryGroupOf(name: string): number {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = lines.map((line) => line.split(':')).find(([login, , uid]) => login === name || uid === name);
  if (fields !== undefined) return Number(fields[3]);
  // Users of a directory service are not in the file.
  const { stdout, status } = spawnSync('id', ['-g', '--', name], { encoding: 'utf8' });
  if (status === 0) return Number(stdout);
  throw new Error('there is no such user');
}

function toId(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}
