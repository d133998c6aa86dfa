import { Worker } from 'node:worker_threads';
import type { PrepareTypesData } from './prepare-types-worker.ts';

/**
 * Milliseconds for all types of an environment. What is not described by then, the compiles have
 * described.
 */
const LIMIT_MS = 60_000;

/**
 * Prepares the resource types of a snapshot in a thread of its own, so that requests are served
 * meanwhile. Answers the bytes of their blob, or null when that took too long or failed: a deploy
 * does not depend on it.
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
