/** The thread of `checkInThread`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseCheck } from './check-in-thread.ts';
import { checkDatabase } from './database-check.ts';

function check(directory: string): DatabaseCheck {
  try {
    return { ...checkDatabase(directory), failure: null };
  } catch (error) {
    return { faults: [], rows: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(check(workerData));
