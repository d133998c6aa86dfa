import { readFileSync, readlinkSync } from 'node:fs';
import type { Processes } from '../ports/stores.ts';

/**
 * Identifies processes of this machine by number, start time (numbers are reused), boot and PID
 * namespace. The state of a process in another namespace (another container) is unknown. Without
 * `/proc` only the number identifies a process.
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
 * The start time in clock ticks since boot: field 22 of proc_pid_stat(5). Its second field may
 * contain blanks and brackets.
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
    // No /proc on this system, or no permission.
    return UNKNOWN;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process of another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
