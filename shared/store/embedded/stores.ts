import type { ExportRows } from '../export-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExportChangeFeed } from '../ports/export-store.ts';
import type { NodeChangeLog } from '../ports/node-changes.ts';
import type { Stores } from '../ports/stores.ts';
import { systemClock } from '../system-clock.ts';
import { EmbeddedBlobStore } from './blob-store.ts';
import { EmbeddedCompileQueue, type QueueOptions } from './compile-queue.ts';
import { EmbeddedDatabase } from './database.ts';
import { EmbeddedDependencyIndex } from './dependency-index.ts';
import { EmbeddedDocumentStore } from './document-store.ts';
import { EmbeddedEnvironmentStore } from './environment-store.ts';
import { EmbeddedExportStore } from './export-store.ts';
import { EmbeddedFanOutQueue } from './fan-out-queue.ts';
import { openFileSeal } from './file-seal.ts';
import { EmbeddedGroupStore } from './group-store.ts';
import { EmbeddedJobStore } from './job-store.ts';
import { EmbeddedNodeChangeLog } from './node-change-log.ts';
import { EmbeddedNodeStore } from './node-store.ts';
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
  releaseInFlight(): void;
  /** Closes at once: no call may be in progress. */
  close(): void;
}

export interface EmbeddedOptions extends Partial<QueueOptions> {
  readonly clock?: Clock;
}

const DEFAULT_VISIBILITY_MS = 15 * 60_000;
const DEFAULT_MAX_RECEIVES = 5;
/** Partial blobs older than this have no writer any more. */
export const LONGEST_WRITE_MS = 3600_000;

/**
 * The visibility time-out for jobs that may take `limitMs`. It is longer than that, so that no job
 * runs twice at a time.
 */
export function visibilityOf(limitMs: number): number {
  return Math.max(DEFAULT_VISIBILITY_MS, 1.5 * limitMs);
}

/** The stores whose data is in the database. */
export interface DatabaseTables {
  readonly nodes: EmbeddedNodeStore;
  readonly nodeChanges: EmbeddedNodeChangeLog;
  readonly exports: EmbeddedExportStore;
  readonly dependencies: EmbeddedDependencyIndex;
  readonly environments: EmbeddedEnvironmentStore;
  readonly documents: EmbeddedDocumentStore;
  readonly queue: EmbeddedCompileQueue;
  readonly fanOut: EmbeddedFanOutQueue;
  readonly groups: EmbeddedGroupStore;
  readonly jobs: EmbeddedJobStore;
}

/** Creates the stores over an open database. For `putSums` see `EmbeddedExportStore`. */
export function createTables(
  database: EmbeddedDatabase,
  options: EmbeddedOptions,
  putSums?: ExportRows['putSums'],
): DatabaseTables {
  const { clock = systemClock, visibilityMs = DEFAULT_VISIBILITY_MS, maxReceives = DEFAULT_MAX_RECEIVES } = options;
  const nodeChanges = new EmbeddedNodeChangeLog(database, clock);
  const nodes = new EmbeddedNodeStore(database, nodeChanges);
  return {
    nodes,
    nodeChanges,
    dependencies: new EmbeddedDependencyIndex(database),
    exports: new EmbeddedExportStore(database, clock, putSums),
    environments: new EmbeddedEnvironmentStore(database),
    documents: new EmbeddedDocumentStore(database, nodeChanges),
    queue: new EmbeddedCompileQueue(database, clock, { visibilityMs, maxReceives }),
    fanOut: new EmbeddedFanOutQueue(database, clock),
    groups: new EmbeddedGroupStore(database, nodes),
    jobs: new EmbeddedJobStore(database),
  };
}

/**
 * Opens the stores of a data directory, which is created when missing. Every thread and process
 * opens its own. Throws StoreRefused, naming the directory, when it cannot be used.
 */
export function openEmbeddedStores(directory: string, options: EmbeddedOptions = {}): EmbeddedStores {
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
    seal: openFileSeal(directory),
    blobs,
    serveAlone: () => {
      lock ??= new ServerLock(directory);
    },
    releaseInFlight: () => {
      queue.releaseInFlight();
      fanOut.releaseInFlight();
      exports.releaseInFlight();
      nodes.releaseAll();
      nodes.forgetLostJobs(clock.now());
      jobs.releaseAll();
      blobs.discardUnfinished(clock.now() - LONGEST_WRITE_MS);
    },
    close: () => {
      database.close();
      lock?.release();
    },
  };
}
