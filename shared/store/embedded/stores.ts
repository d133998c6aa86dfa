import { join } from 'node:path';
import type { ExportChangeFeed } from '../ports/export-store.ts';
import type { NodeChangeLog } from '../ports/node-changes.ts';
import type { Stores } from '../ports/stores.ts';
import { createTables, type TableOptions } from '../sql/tables.ts';
import { systemClock } from '../system-clock.ts';
import { EmbeddedBlobStore } from './blob-store.ts';
import { EmbeddedDatabase } from './database.ts';
import { VALUES_KEY_FILE } from './directory-files.ts';
import { openFileSeal } from './file-seal.ts';
import { machineProcesses } from './processes.ts';
import { ServerLock } from './server-lock.ts';

export interface EmbeddedStores extends Stores {
  readonly changes: ExportChangeFeed;
  readonly nodeChanges: NodeChangeLog;
  /**
   * Makes this process the only server of the directory until it ends or closes. Throws
   * StoreRefused when another process is: two servers would overwrite each other's deploys.
   */
  serveAlone(): void;
  /**
   * Makes received jobs and changes visible again, releases all leases, and deletes partial blobs
   * older than an hour. Call it when the only process that works on this directory starts: the
   * previous receivers are gone.
   */
  releaseInFlight(): Promise<void>;
  /** Closes at once: no call may be in progress. */
  close(): void;
}

/** Partial blobs older than this have no writer any more. */
export const LONGEST_WRITE_MS = 3600_000;

/**
 * Opens the stores of a data directory, which is created when missing. Every thread and process
 * opens its own. Throws StoreRefused, naming the directory, when it cannot be used.
 */
export function openEmbeddedStores(directory: string, options: TableOptions = {}): EmbeddedStores {
  const clock = options.clock ?? systemClock;
  const database = new EmbeddedDatabase(directory);
  const tables = createTables(database, options);
  const { exports, nodes, queue, fanOut, jobs } = tables;
  const blobs = new EmbeddedBlobStore(directory);
  let lock: ServerLock | null = null;
  return {
    clock,
    processes: machineProcesses,
    ...tables,
    changes: exports,
    seal: openFileSeal(join(directory, VALUES_KEY_FILE)),
    blobs,
    serveAlone: () => {
      lock ??= new ServerLock(directory);
    },
    releaseInFlight: async () => {
      await queue.releaseInFlight();
      await fanOut.releaseInFlight();
      await exports.releaseInFlight();
      await nodes.releaseAll();
      await nodes.forgetLostJobs(clock.now());
      await jobs.releaseAll();
      blobs.discardUnfinished(clock.now() - LONGEST_WRITE_MS);
    },
    close: () => {
      database.close();
      lock?.release();
    },
  };
}
