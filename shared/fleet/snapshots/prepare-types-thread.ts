import { Worker } from 'node:worker_threads';
import type { PrepareTypesData } from './prepare-types-worker.ts';

/**
 * Time limit in milliseconds for all types of an environment. Compiles describe the remaining
 * types.
 */
const LIMIT_MS = 60_000;

/**
 * Describes a snapshot's resource types in a separate thread, so that requests are served
 * meanwhile. Returns the bytes of their blob, or null on a time-out or failure: a deploy does not
 * depend on it.
 */
export function prepareTypesInThread(data: PrepareTypesData): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./prepare-types-worker.ts', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    const timer = setTimeout(() => finish(null), LIMIT_MS);
    const finish = (bytes: Uint8Array | null) => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(bytes);
    };
    worker.once('message', (bytes: Uint8Array) => finish(bytes));
    worker.once('error', () => finish(null));
    worker.once('exit', () => finish(null));
  });
}
