import type { BlobStore } from './blob-store.ts';
import type { Clock } from './clock.ts';
import type { CompileQueue } from './compile-queue.ts';
import type { DependencyIndex } from './dependency-index.ts';
import type { DocumentStore } from './document-store.ts';
import type { EnvironmentStore } from './environment-store.ts';
import type { ExportStore } from './export-store.ts';
import type { FanOutQueue } from './fan-out-queue.ts';
import type { GroupStore } from './group-store.ts';
import type { JobStore } from './job-store.ts';
import type { NodeStore } from './node-store.ts';
import type { TextSeal } from './secrets.ts';
import type { Servers } from './servers.ts';

/**
 * The ports to all persistent state. Each has three implementations: `store/embedded` (SQLite and
 * files), `store/postgres` (PostgreSQL; both share the tables of `store/sql`), and `store/aws`
 * (DynamoDB, S3, SQS). `test/shared/store` runs one contract suite over all.
 *
 * All times are milliseconds since the epoch. All reads are consistent unless a method says
 * otherwise. All methods may throw `StoreUnavailable` (a retry can succeed) or `StoreRefused` (a
 * retry cannot).
 */

/** All stores of one implementation. */
export interface Stores {
  readonly nodes: NodeStore;
  readonly dependencies: DependencyIndex;
  readonly exports: ExportStore;
  readonly blobs: BlobStore;
  readonly environments: EnvironmentStore;
  readonly documents: DocumentStore;
  readonly queue: CompileQueue;
  readonly fanOut: FanOutQueue;
  /** The node groups in force. */
  readonly groups: GroupStore;
  /** Jobs of the orchestrator. */
  readonly jobs: JobStore;
  /** Encrypts what must not be legible where it rests. */
  readonly seal: TextSeal;
  readonly clock: Clock;
  /** Absent when processes of other machines write to the stores. */
  readonly processes?: Processes;
  /** Absent where one server has the stores, and in AWS. */
  readonly servers?: Servers;
}

/** The processes that write to a store, when all run on one machine. Each has a unique name. */
export interface Processes {
  /** The name of this process. */
  readonly self: string;
  /** Whether the named process has ended; false when that is unknown. */
  hasEnded(name: string): boolean;
}
