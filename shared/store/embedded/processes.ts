import { readFileSync, readlinkSync } from 'node:fs';
import type { Processes } from '../ports/processes.ts';

/**
 * The processes of this machine. One is known by its number and by when it started, since numbers
 * are given again; by the boot it ran in, and by the namespace that its number counts in. Of a
 * process of another namespace (another container) nothing is known. Without `/proc` only the
 * number counts.
 */
export const machineProcesses: Processes = {
  get self() {
    return [bootId(), namespace(), process.pid, startOf('self')].join(' ');
  },
  hasEnded(name) {
    const [boot, space, pid, start] = name.split(' ');
    if (!/^[1-9]\d*$/.test(pid ?? '')) return true;
    if (boot !== bootId()) return true;
    if (space !== namespace()) return false;
    if (!isRunning(Number(pid))) return true;
    const now = startOf(pid ?? '');
    return now !== UNKNOWN && now !== start;
  },
};

const UNKNOWN = '-';

function bootId(): string {
  return read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
}

function namespace(): string {
  return read(() => readlinkSync('/proc/self/ns/pid'));
}

/**
 * In clock ticks since the boot: field 22 of proc_pid_stat(5), whose second field may have blanks
 * and brackets in it.
 */
function startOf(pid: string): string {
  return read(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? UNKNOWN;
  });
}

function read(get: () => string): string {
  try {
    return get().trim();
  } catch {
    // Not on this system, or not for us.
    return UNKNOWN;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody else's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
