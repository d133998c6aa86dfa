import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel says of a process. */
export interface ProcessSample {
  readonly residentMb: number;
  readonly descriptors: number;
  readonly threads: number;
}

/** Reads `/proc` (Linux). Throws when the process has ended. */
export function sampleProcess(pid: number): ProcessSample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    residentMb: Math.round(read('VmRSS') / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: read('Threads'),
  };
}
