import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on nearly every Linux. */
const IN_MEMORY = '/dev/shm';
/** More bytes than the temporary files of a whole run take at a time. */
const NEEDED = 6 * 1024 ** 3;
/** What the name of a run's folder begins with; its process follows. */
const PREFIX = 'understudy-test-';
/** The age in milliseconds from which on the folder of a dead process counts as abandoned. */
const ABANDONED_MS = 3600_000;
/** The variable of the folder on a disk. */
const ON_DISK = 'UNDERSTUDY_TEST_DISK';

/**
 * Global setup of vitest: one folder for the temporary files of the run, which ends with it. It is
 * in memory where there is enough. A whole run writes and deletes 200,000 files, which took a fifth
 * of its time on a disk (2026-11-23). `TMPDIR` chooses another place. Node's compiled code is in
 * it, too: a server that a test starts then takes 1.8 s of CPU, not 3.1 s.
 */
export function setup(): () => void {
  const disk = makeFolder(tmpdir());
  const folder = process.env.TMPDIR === undefined && hasEnoughMemory() ? makeFolder(IN_MEMORY) : disk;
  process.env[ON_DISK] = disk;
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  return () => {
    for (const made of new Set([disk, folder])) rmSync(made, { recursive: true, force: true });
  };
}

/** The folder of the run that this process belongs to; null for none. */
export function folderOfRun(): string | null {
  return process.env[ON_DISK] ?? null;
}

/**
 * A new folder that is on a disk and ends with the run. Agents have their files there: Puppet does
 * not make its own folders below `/dev`.
 */
export function makeFolderOnDisk(name: string): string {
  return mkdtempSync(join(process.env[ON_DISK] ?? tmpdir(), `${name}-`));
}

function makeFolder(place: string): string {
  removeAbandoned(place);
  const folder = mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
  // Some tests run code as another user.
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes the folders of runs that were killed: those in memory would take it for ever. */
function removeAbandoned(place: string): void {
  for (const name of readdirSync(place).filter((name) => name.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0]);
    const path = join(place, name);
    const found = statSync(path, { throwIfNoEntry: false });
    const isOld = found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS;
    if (isOld && !isRunning(pid)) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Whether files that programs run from, too, can lie in memory. */
function hasEnoughMemory(): boolean {
  const mounts = readMounts();
  const flags = mounts.get(IN_MEMORY)?.split(',');
  if (flags === undefined || ['ro', 'noexec', 'nodev'].some((flag) => flags.includes(flag))) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem()) >= NEEDED;
}

/** The flags of what is mounted, by its folder. */
function readMounts(): ReadonlyMap<string, string> {
  try {
    const lines = readFileSync('/proc/mounts', 'utf8').trim().split('\n');
    return new Map(lines.map((line) => line.split(' ')).map(([, folder = '', , flags = '']) => [folder, flags]));
  } catch {
    return new Map();
  }
}
