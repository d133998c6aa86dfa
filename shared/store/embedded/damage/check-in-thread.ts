import { Worker } from 'node:worker_threads';
import type { DatabaseDamage } from './database-check.ts';

export interface DatabaseCheck extends DatabaseDamage {
  /** Why the database could not be read; null when it could. */
  readonly failure: string | null;
}

/**
 * Does `checkDatabase` in a thread of its own: it computes for 10 seconds for each gigabyte. Null
 * when `signal` aborts.
 */
export function checkInThread(directory: string, signal: AbortSignal): Promise<DatabaseCheck | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./check-thread.ts', import.meta.url), { workerData: directory, execArgv: [] });
    const abort = () => {
      void worker.terminate();
      resolve(null);
    };
    signal.addEventListener('abort', abort, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', abort);
      resolve(null);
    });
  });
}
