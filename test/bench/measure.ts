import { execFileSync } from 'node:child_process';

/**
 * Returns the CPU milliseconds (user and system) that `work` took in this process, including JIT
 * and garbage collection threads.
 */
export function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Returns the median of CPU milliseconds over `runs` runs, after `warmUps` runs that do not count.
 */
export function medianCpu(work: () => void, runs: number, warmUps: number): number {
  for (let run = 0; run < warmUps; run += 1) work();
  return median(Array.from({ length: runs }, () => cpuOf(work)));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/**
 * Returns the CPU milliseconds (user and system) of a whole process; discards its output. Throws
 * when the process fails.
 */
export function cpuOfProcess(command: string, args: readonly string[]): number {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" >/dev/null 2>/dev/null';
  const times = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, command, ...args], { encoding: 'utf8' });
  const [user, system] = times.trim().split(' ').map(Number);
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
}

/** Runs a command and parses the JSON that it prints; null when the command does not exist. */
export function peer<T>(command: string, args: readonly string[]): T | null {
  try {
    return JSON.parse(execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
