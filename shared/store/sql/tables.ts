import type { ExportRows } from '../export-reader.ts';
import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../system-clock.ts';
import { type QueueOptions, SqlCompileQueue } from './compile-queue.ts';
import type { SqlConnection } from './connection.ts';
import { SqlDependencyIndex } from './dependency-index.ts';
import { SqlDocumentStore } from './document-store.ts';
import { SqlEnvironmentStore } from './environment-store.ts';
import { SqlExportStore } from './export-store.ts';
import { SqlFanOutQueue } from './fan-out-queue.ts';
import { SqlGroupStore } from './group-store.ts';
import { SqlJobStore } from './job-store.ts';
import { SqlNodeChangeLog } from './node-change-log.ts';
import { SqlNodeStore } from './node-store.ts';

export interface TableOptions extends Partial<QueueOptions> {
  readonly clock?: Clock;
}

const DEFAULT_VISIBILITY_MS = 15 * 60_000;
const DEFAULT_MAX_RECEIVES = 5;

/**
 * The visibility time-out for jobs that may take `limitMs`. It is longer than that, so that no job
 * runs twice at a time.
 */
export function visibilityOf(limitMs: number): number {
  return Math.max(DEFAULT_VISIBILITY_MS, 1.5 * limitMs);
}

/** The stores whose data is in the database. */
export interface DatabaseTables {
  readonly nodes: SqlNodeStore;
  readonly nodeChanges: SqlNodeChangeLog;
  readonly exports: SqlExportStore;
  readonly dependencies: SqlDependencyIndex;
  readonly environments: SqlEnvironmentStore;
  readonly documents: SqlDocumentStore;
  readonly queue: SqlCompileQueue;
  readonly fanOut: SqlFanOutQueue;
  readonly groups: SqlGroupStore;
  readonly jobs: SqlJobStore;
}

/** Creates the stores over an open database. For `putSums` see `SqlExportStore`. */
export function createTables(
  database: SqlConnection,
  options: TableOptions,
  putSums?: ExportRows['putSums'],
): DatabaseTables {
  const { clock = systemClock, visibilityMs = DEFAULT_VISIBILITY_MS, maxReceives = DEFAULT_MAX_RECEIVES } = options;
  const { receiver, doorbell } = options;
  const sharing = { ...(receiver === undefined ? {} : { receiver }), ...(doorbell === undefined ? {} : { doorbell }) };
  const nodeChanges = new SqlNodeChangeLog(database, clock);
  return {
    nodes: new SqlNodeStore(database, nodeChanges),
    nodeChanges,
    dependencies: new SqlDependencyIndex(database),
    exports: new SqlExportStore(database, clock, putSums),
    environments: new SqlEnvironmentStore(database),
    documents: new SqlDocumentStore(database, nodeChanges),
    queue: new SqlCompileQueue(database, clock, { visibilityMs, maxReceives, ...sharing }),
    fanOut: new SqlFanOutQueue(database, clock),
    groups: new SqlGroupStore(database),
    jobs: new SqlJobStore(database),
  };
}
