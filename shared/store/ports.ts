/**
 * The ports to everything that outlives a compile. Two implementations each: `store/embedded` (SQLite and files) and
 * `store/aws` (DynamoDB, S3, SQS); `test/shared/store` runs one contract suite over both.
 *
 * All times are milliseconds since the epoch. All methods may throw `StoreUnavailable` (retry later).
 */

import type { CollectorRecord, ExportedResource } from '../catalog/exported.ts';

/** Time and randomness, so that nothing above the stores reads a clock. */
export interface Clock {
  now(): number;
  /** Resolves after `milliseconds`, at once when `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}

export interface BlobStore {
  /** Writes bytes under a content-addressed or otherwise fixed key (`catalogs/…`, `files/…`, `facts/…`). */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes unless the key is there. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** A node's record in the `nodes` table. */
export interface NodeRecord {
  readonly certname: string;
  readonly environment: string;
  /** Raised by one for each reason that makes the catalog out of date. */
  readonly wanted: number;
  /** The generation of the last commit; `built === wanted` when nothing is outstanding. */
  readonly built: number;
  /** The latest reasons, newest last, bounded to 20. */
  readonly reasons: readonly string[];
  /** When `wanted` was last raised. */
  readonly wantedAt: number;
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  /** Inputs of the last commit (good or failed), null before the first. */
  readonly inputs: InputSummary | null;
  readonly factsDigest: string | null;
  readonly lastSeen: number;
  /** When the node was last compiled or verified: its place in the ring. */
  readonly ringPosition: number;
}

export interface CatalogPointer {
  /** sha256 (hex) of the canonical catalog: blob `catalogs/<hash>`. */
  readonly hash: string;
  readonly codeId: string | null;
  readonly compiledAt: number;
  readonly durationMs: number;
}

export interface FailureRecord {
  readonly message: string;
  readonly at: number;
  readonly codeId: string | null;
}

/** What a catalog was built from. File paths are in the dependency set, a blob that nodes of one role share. */
export interface InputSummary {
  /** Fact path (`["os","family"]` as JSON) -> how it was seen: digest, `{}` for kind, `-` for absent. */
  readonly facts: Readonly<Record<string, string>>;
  readonly trusted: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** sha256 of the dependency set: blob `dependencies/<id>`; reverse index in the store. */
  readonly dependencySet: string;
  readonly exportsDigest: string;
  /** Functions that made the catalog volatile; empty for a deterministic one. */
  readonly volatile: readonly string[];
}

/** A dependency set: environment files by snapshot path (relative to the code directory) with the digest seen; null = looked for in vain. */
export type DependencySet = Readonly<Record<string, string | null>>;

export interface Commit {
  readonly certname: string;
  readonly generation: number;
  readonly environment: string;
  /** A new catalog, or null when the compile failed (the last good one stays). */
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  readonly inputs: InputSummary;
  readonly dependencies: DependencySet;
  readonly at: number;
}

export interface NodeStore {
  get(certname: string): Promise<NodeRecord | null>;
  /** Creates the node when it is new (generation 0) and notes that it was seen. */
  seen(certname: string, environment: string, at: number): Promise<NodeRecord>;
  /** Raises `wanted` by one and returns the record after it. The record must exist. */
  want(
    certname: string,
    reason: string,
    at: number,
    change?: { environment?: string; factsDigest?: string },
  ): Promise<NodeRecord>;
  /** One conditional write (`built < generation`): true when it was done, false when a newer commit stands. */
  commit(commit: Commit): Promise<boolean>;
  /** Moves the node to the ring's end without a compile (`verify`). */
  verified(certname: string, generation: number, at: number): Promise<boolean>;
  /** Certnames whose dependency set holds one of these paths (present or looked for) in this environment. */
  dependants(environment: string, paths: readonly string[]): Promise<readonly string[]>;
  /** The nodes least recently compiled or verified, oldest first. */
  ring(limit: number, before?: number): Promise<readonly NodeRecord[]>;
  list(after: string | null, limit: number): Promise<readonly NodeRecord[]>;
  delete(certname: string): Promise<void>;
}

export interface ExportStore {
  /** Exported resources of these types by all nodes but `except`, in a stable order (certname, type, title). Consistent. */
  exportsOf(types: readonly string[], except: string): Promise<readonly ExportedResource[]>;
  /** Replaces what `certname` exports; returns what was removed, added or changed (both old and new states). */
  replaceExports(certname: string, resources: readonly ExportedResource[]): Promise<readonly ExportedResource[]>;
  /** Replaces the node's collectors. */
  replaceCollectors(certname: string, collectors: readonly CollectorRecord[]): Promise<void>;
  /** Collectors of all nodes for a resource type. Consistent. */
  collectorsOf(type: string): Promise<readonly CollectorRecord[]>;
  collectorsBy(certname: string): Promise<readonly CollectorRecord[]>;
  delete(certname: string): Promise<void>;
}

export interface EnvironmentRecord {
  readonly name: string;
  /** The id of the snapshot that is in force. */
  readonly codeId: string;
  readonly deployedAt: number;
  readonly by: string;
  /** Earlier code ids, newest first, bounded to 50. */
  readonly history: readonly { readonly codeId: string; readonly deployedAt: number; readonly by: string }[];
}

export interface EnvironmentStore {
  get(name: string): Promise<EnvironmentRecord | null>;
  list(): Promise<readonly EnvironmentRecord[]>;
  /** Switches the environment to a snapshot that is already in the blob store. */
  put(record: EnvironmentRecord): Promise<void>;
  delete(name: string): Promise<void>;
}

/** Reports, certificates and other small documents by key, with a listing by prefix. */
export interface DocumentStore {
  put(collection: string, key: string, document: Readonly<Record<string, unknown>>): Promise<void>;
  /** Writes only when the key is new; false when it is not. */
  create(collection: string, key: string, document: Readonly<Record<string, unknown>>): Promise<boolean>;
  get(collection: string, key: string): Promise<Readonly<Record<string, unknown>> | null>;
  list(
    collection: string,
    prefix: string,
    limit: number,
  ): Promise<readonly { readonly key: string; readonly document: Readonly<Record<string, unknown>> }[]>;
  delete(collection: string, key: string): Promise<void>;
}

export interface Job {
  readonly certname: string;
  readonly generation: number;
  readonly reason: string;
  /** When the reason arose. */
  readonly at: number;
}

export type QueueName = 'express' | 'background';

export interface ReceivedJob {
  readonly job: Job;
  /** For `done`, `retryAfter`: valid until the visibility time-out ends. */
  readonly receipt: string;
  readonly queue: QueueName;
  /** How often it was received, this time included. */
  readonly receiveCount: number;
}

export interface JobQueue {
  send(queue: QueueName, jobs: readonly Job[]): Promise<void>;
  /** Up to `limit` jobs, express first; waits up to `waitMs` for one. They are invisible to others for the visibility time-out. */
  receive(limit: number, waitMs: number): Promise<readonly ReceivedJob[]>;
  done(job: ReceivedJob): Promise<void>;
  /** Makes the job visible again after `delayMs`; after `maxReceives` receives it goes to the dead-letter queue. */
  retryAfter(job: ReceivedJob, delayMs: number): Promise<void>;
  depth(): Promise<Readonly<Record<QueueName | 'dead', { readonly visible: number; readonly oldestAgeMs: number }>>>;
  /** Takes dead letters out, for inspection. */
  dead(limit: number): Promise<readonly Job[]>;
}

/** A store did not answer or refused for now: the caller retries, or answers 503. */
export class StoreUnavailable extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreUnavailable';
  }
}
