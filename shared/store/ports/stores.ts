/**
 * The ports to everything that outlives a compile. Two implementations each: `store/embedded`
 * (SQLite and files) and `store/aws` (DynamoDB, S3, SQS); `test/shared/store` runs one contract
 * suite over both.
 *
 * All times are milliseconds since the epoch. All reads are consistent unless a method says
 * otherwise. All methods may throw `StoreUnavailable` (retry later) or `StoreRefused` (a retry will
 * not help).
 */

import type { BlobStore } from './blob-store.ts';
import type { Clock } from './clock.ts';
import type { CompileQueue } from './compile-queue.ts';
import type { DocumentStore } from './document-store.ts';
import type { EnvironmentStore } from './environment-store.ts';
import type { ExportStore } from './export-store.ts';
import type { NodeStore } from './node-store.ts';
import type { Processes } from './processes.ts';

/** All of them, as one implementation offers them. */
export interface Stores {
  readonly nodes: NodeStore;
  readonly exports: ExportStore;
  readonly blobs: BlobStore;
  readonly environments: EnvironmentStore;
  readonly documents: DocumentStore;
  readonly queue: CompileQueue;
  readonly clock: Clock;
  /** Missing where processes of other machines write as well. */
  readonly processes?: Processes;
}
