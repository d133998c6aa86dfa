import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** The id that Linux gives the current thread; 0 where it does not say. */
export function readThreadId(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/**
 * Returns the milliseconds that a thread was ready to run and had no processor, since it began: the
 * second figure of Linux's `/proc/ID/schedstat`, which is in nanoseconds. 0 where Linux does not
 * say. `id`: of a thread, or of a process, which stands for its first thread.
 */
export function readProcessorWait(id: number): number {
  try {
    return parseSchedstat(readFileSync(`/proc/${id}/schedstat`, 'latin1'));
  } catch {
    return 0;
  }
}

/** The milliseconds of waiting in the text of a `schedstat` file. */
export function parseSchedstat(text: string): number {
  return Number(text.split(' ')[1] ?? 0) / 1e6 || 0;
}
