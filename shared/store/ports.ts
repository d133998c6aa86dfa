/**
 * The ports to everything that outlives a compile. Two implementations each: `store/embedded`
 * (SQLite and files) and `store/aws` (DynamoDB, S3, SQS); `test/shared/store` runs one contract
 * suite over both.
 *
 * All times are milliseconds since the epoch. All reads are consistent unless a method says
 * otherwise. All methods may throw `StoreUnavailable` (retry later) or `StoreRefused` (a retry will
 * not help).
 */

import type { CollectorRecord, ExportedResource } from '../puppet/catalog/exported.ts';

/** Time and randomness, so that nothing above the stores reads a clock. */
export interface Clock {
  now(): number;
  /** Resolves after `milliseconds`, at once when `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}

/** Bytes of a blob from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A blob that is read as it is sent on. */
export interface BlobStream {
  /** Bytes of the whole blob, whatever part of it was asked for. */
  readonly size: number;
  /**
   * Reads nothing before it is asked; to be read to its end or cancelled. Fails with
   * `StoreUnavailable` as the store does.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface BlobStore {
  /**
   * Writes bytes under a content-addressed or otherwise fixed key (`catalogs/…`, `files/…`,
   * `facts/…`).
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes unless the key is there. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /**
   * The same without holding all of it in memory; of the whole blob, or of a range that lies within
   * it.
   */
  stream(key: string, range?: ByteRange): Promise<BlobStream | null>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /**
   * What is there under a prefix that ends with `/`, or under one key, page by page in the store's
   * own order; `after` is what the page before said. What is written or deleted meanwhile may or
   * may not be told.
   */
  list(prefix: string, after?: string): Promise<BlobPage>;
}

/** A blob without its bytes. */
export interface BlobEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** When it was last put. */
  readonly putAt: number;
}

export interface BlobPage {
  readonly entries: readonly BlobEntry[];
  /** For the next page; null when this is the last one. */
  readonly next: string | null;
}

/** A node's record in the `nodes` table. */
export interface NodeRecord {
  readonly certname: string;
  /** The environment that its next compile uses. */
  readonly environment: string;
  /** Raised by one for each reason that makes the catalog out of date. */
  readonly wanted: number;
  /** The generation of the last commit; `built === wanted` when nothing is outstanding. */
  readonly built: number;
  /** The latest reasons, newest last, bounded to 20. */
  readonly reasons: readonly string[];
  /** When `wanted` was last raised. */
  readonly wantedAt: number;
  /**
   * The generation that a job was last sent for, when, and whether that job is ahead of all others
   * because a node waits for it.
   */
  readonly asked: { readonly generation: number; readonly at: number; readonly waiting: boolean };
  /** What the operator's classification says of the node; null when it says nothing. */
  readonly classification: Classification | null;
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  /** Inputs of the last commit (good or failed), null before the first. */
  readonly inputs: InputSummary | null;
  /**
   * sha256 of the blob `facts/<certname>` and when it was written; null when the node never sent
   * facts.
   */
  readonly facts: FactsPointer | null;
  readonly lastSeen: number;
  /**
   * When the node was last compiled, verified or fed to the background queue: its place in the
   * ring.
   */
  readonly ringPosition: number;
  /** Commits since the node was created: how often it was compiled. */
  readonly compiles: number;
  /** How often its inputs were found unchanged instead. */
  readonly verifications: number;
}

/**
 * What an external node classifier says of a node: as the `exec` terminus of Puppet would hand it
 * over.
 */
export interface Classification {
  /** Names, or names with their parameters (null: none). */
  readonly classes: readonly string[] | Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  /** Variables of the top scope. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The environment that the node is in whatever it asks for; null leaves it to the node. */
  readonly environment: string | null;
}

export interface FactsPointer {
  readonly digest: string;
  readonly at: number;
}

export interface CatalogPointer {
  /** sha256 (hex) of the canonical catalog: blob `catalogs/<hash>`. */
  readonly hash: string;
  /**
   * By checksum type: the hash of the form with metadata of files inlined, where that differs from
   * the catalog.
   */
  readonly static?: Readonly<Record<string, string>>;
  readonly codeId: string | null;
  /**
   * Code that the stored forms name, where that is another: equal catalogs name the code that the
   * first one was compiled with. Commits of earlier releases do not say.
   */
  readonly namedCode?: readonly string[];
  readonly compiledAt: number;
  readonly durationMs: number;
  /** `exportsDigest` of what it exports. */
  readonly exported: string;
}

export interface FailureRecord {
  readonly message: string;
  readonly at: number;
  readonly codeId: string | null;
}

/**
 * What a catalog was built from. File paths are in the dependency set, a blob that nodes of one
 * role share.
 */
export interface InputSummary {
  /** The environment it was compiled in. */
  readonly environment: string;
  /**
   * `classificationDigest` of the node's classification; null for none. Catalogs of earlier
   * releases do not say.
   */
  readonly classification?: string | null;
  /**
   * Types of checksums that static forms were made for. Commits of earlier releases do not say:
   * they made none.
   */
  readonly checksumTypes?: readonly string[];
  /** Digest of the compiler's release, settings and server facts. */
  readonly compiler: string;
  /**
   * Fact path (`["os","family"]` as JSON) -> how it was seen: see `puppet/environment/inputs.ts`.
   */
  readonly facts: Readonly<Record<string, string>>;
  readonly trusted: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** sha256 of the dependency set: blob `dependencies/<id>`; reverse index in the store. */
  readonly dependencySet: string;
  readonly collectors: readonly { readonly type: string; readonly query: unknown }[];
  /** `exportsDigest` of the other nodes' exports that the collectors match. */
  readonly collected: string;
  /** Functions that made the catalog volatile; empty for a deterministic one. */
  readonly volatile: readonly string[];
}

/**
 * A dependency set: environment files by snapshot path (relative to the code directory) with what
 * was seen; null = looked for in vain.
 */
export type DependencySet = Readonly<Record<string, string | null>>;

/** A dependency set that a compile of `certname` at `generation` is about to commit. */
export interface DependencyRegistration {
  readonly certname: string;
  readonly generation: number;
  readonly environment: string;
  /** sha256 of the set. */
  readonly id: string;
  readonly paths: readonly string[];
}

export interface Commit {
  readonly certname: string;
  readonly generation: number;
  /** A new catalog, or null when the compile failed (the last good one stays). */
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  readonly inputs: InputSummary;
  readonly at: number;
}

/** What changes with a reason. */
export interface WantChange {
  readonly environment?: string;
  readonly facts?: FactsPointer;
  /** Null takes it away. */
  readonly classification?: Classification | null;
  /** Whether the caller sends a job for the new generation. */
  readonly asked: boolean;
  /** Whether that job goes to the queue of those that a node waits for. */
  readonly waiting?: boolean;
  /** Only when `wanted` is still this. */
  readonly expected?: number;
}

export interface NodeCounts {
  /** In AWS up to six hours old. */
  readonly nodes: number;
  /** Nodes with `built < wanted`. */
  readonly outstanding: number;
}

/**
 * What became of the wish to compile a node alone: the caller has the lease, or `generation` is
 * built (or the node is gone), or somebody else has the lease until then. That is not after now
 * when it ended meanwhile.
 */
export type LeaseClaim = 'claimed' | 'built' | { readonly heldUntil: number };

export interface NodeStore {
  get(certname: string): Promise<NodeRecord | null>;
  /** Creates the node when it is new (generation 0, nothing wanted) and notes that it was seen. */
  markSeen(certname: string, environment: string, at: number): Promise<NodeRecord>;
  /**
   * Raises `wanted` by one and returns the record after it; null when there is no such node, or
   * `expected` is past.
   */
  want(certname: string, reason: string, at: number, change: WantChange): Promise<NodeRecord | null>;
  /**
   * Makes this the node's classification (null: none), of a node that is new too; one that wanted
   * something before is made out of date, and the caller sends an express job for it. Answers the
   * record after it.
   */
  classify(certname: string, classification: Classification | null, reason: string, at: number): Promise<NodeRecord>;
  /**
   * Claims the right to send a job for `generation`: true for the first caller, for the first one
   * for whom a node is `waiting`, and again once the last claim is older than `unlessSince`.
   */
  ask(certname: string, generation: number, at: number, unlessSince: number, waiting?: boolean): Promise<boolean>;
  /**
   * Makes the caller the one that compiles the node, until `until`. Reasons that come meanwhile are
   * the caller's too. A lease that is not over is given to its own `holder` again: the id of the
   * job that it was taken for, which comes again when its worker failed (null: of none).
   */
  lease(certname: string, generation: number, at: number, until: number, holder: string | null): Promise<LeaseClaim>;
  /**
   * Gives a lease back: false, and nothing is done, when more is wanted by now, unless
   * `regardless`. True when the lease was somebody else's already.
   */
  release(certname: string, until: number, regardless: boolean): Promise<boolean>;
  /** Notes facts that were stored anew without a reason to compile. */
  factsStored(certname: string, facts: FactsPointer): Promise<void>;
  /**
   * Writes the way back from the set's paths to the node. Done before the environment is read for
   * the last time and before `commit`.
   */
  register(registration: DependencyRegistration): Promise<void>;
  /**
   * One conditional write (`built < generation <= wanted`): true when it was done, false when a
   * newer commit stands or the node is gone.
   */
  commit(commit: Commit): Promise<boolean>;
  /**
   * Every input was unchanged: `built` becomes `generation` unless it is higher already (then
   * false), and the node moves to the ring's end.
   */
  markVerified(certname: string, generation: number, at: number): Promise<boolean>;
  /**
   * Certnames whose dependency set holds one of these paths (present or looked for) in this
   * environment: of their last commit, or of one that is registered and not committed yet.
   */
  findDependants(environment: string, paths: readonly string[]): Promise<readonly string[]>;
  /**
   * The nodes least recently compiled, verified or fed, oldest first, all before `before`.
   * Eventually consistent.
   */
  listRing(limit: number, before: number): Promise<readonly NodeRecord[]>;
  /**
   * Moves a node to the ring's end because a background job was sent for it; false when it moved
   * meanwhile.
   */
  moveToRingEnd(certname: string, ringPosition: number, at: number): Promise<boolean>;
  /**
   * Nodes with `built < wanted` that nothing was asked for since `before`, longest first.
   * Eventually consistent.
   */
  listOutstanding(before: number, limit: number): Promise<readonly NodeRecord[]>;
  /**
   * All nodes, page by page, each once, in the store's own order; `after` is the last certname of
   * the page before.
   */
  list(after: string | null, limit: number): Promise<readonly NodeRecord[]>;
  getCounts(): Promise<NodeCounts>;
  delete(certname: string): Promise<void>;
}

/**
 * What one node gives and takes. Rows carry the generation that wrote them: an older compile never
 * replaces a newer one's.
 */
export interface ExportStore {
  /**
   * Exported resources of these types by all nodes but `except`, ordered by certname, type and
   * title.
   */
  exportsOf(types: readonly string[], except: string): Promise<readonly ExportedResource[]>;
  /**
   * Replaces what `certname` exports; false when a newer generation stands. What changed is told
   * through the change feed.
   */
  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean>;
  /** Replaces the node's collectors; false when a newer generation stands. */
  replaceCollectors(certname: string, generation: number, collectors: readonly CollectorRecord[]): Promise<boolean>;
  /**
   * Collectors of all nodes for a resource type. May hold more than the latest compiles registered,
   * never less.
   */
  collectorsOf(type: string): Promise<readonly CollectorRecord[]>;
  /**
   * `exportsDigest` of what the store holds of the node's exports: differs from its catalog's when
   * a compile died before its commit.
   */
  getDigest(certname: string): Promise<string>;
  /** Withdraws a node's exports and collectors. */
  delete(certname: string): Promise<void>;
}

/** One exported resource before and after: null when it is new, or gone. */
export interface ExportChange {
  readonly before: ExportedResource | null;
  readonly after: ExportedResource | null;
}

/**
 * Changes of exports, each at least once, after the export itself was written. The embedded store
 * keeps them until `done`; in AWS the exports table's stream calls the invalidate function, and
 * this port is not used.
 */
export interface ExportChangeFeed {
  receive(limit: number): Promise<readonly { readonly id: number; readonly change: ExportChange }[]>;
  acknowledge(ids: readonly number[]): Promise<void>;
}

export interface EnvironmentRecord {
  readonly name: string;
  /** Counts the switches, from 1 on: a snapshot may come back. */
  readonly revision: number;
  /** The id of the snapshot that is in force. */
  readonly codeId: string;
  readonly deployedAt: number;
  readonly by: string;
  /**
   * The revision up to which every node that a change touches was told; 0 for none. Below
   * `revision` while a deploy works.
   */
  readonly settled: number;
  /** Earlier revisions, newest first, bounded to 50. */
  readonly history: readonly { readonly codeId: string; readonly deployedAt: number; readonly by: string }[];
}

export interface EnvironmentStore {
  get(name: string): Promise<EnvironmentRecord | null>;
  list(): Promise<readonly EnvironmentRecord[]>;
  /**
   * Switches the environment to a snapshot that is already in the blob store, when the revision in
   * force is still `expected` (null: when there is no such environment); else false.
   */
  replace(record: EnvironmentRecord, expected: number | null): Promise<boolean>;
  /**
   * Notes that all nodes were told of the steps up to `revision`; does nothing when another one is
   * in force by now.
   */
  settle(name: string, revision: number): Promise<void>;
  delete(name: string): Promise<void>;
}

export type StoredDocument = Readonly<Record<string, unknown>>;

/**
 * Reports, certificates and other small documents (JSON, below 300 KB) by key, with a listing by
 * prefix.
 */
export interface DocumentStore {
  put(collection: string, key: string, document: StoredDocument): Promise<void>;
  /** Writes only when the key is new; false when it is not. */
  create(collection: string, key: string, document: StoredDocument): Promise<boolean>;
  /** Writes only when what is stored still equals `expected`; false when it does not. */
  replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean>;
  get(collection: string, key: string): Promise<StoredDocument | null>;
  /** In key order; `after` goes on behind a key. */
  list(
    collection: string,
    prefix: string,
    limit: number,
    after?: string,
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]>;
  delete(collection: string, key: string): Promise<void>;
  /** Deletes only when what is stored still equals `expected`; false when it does not. */
  remove(collection: string, key: string, expected: StoredDocument): Promise<boolean>;
}

export interface CompileJob {
  readonly certname: string;
  /**
   * The generation that is wanted; one more than `wanted` when nothing is, which asks to verify
   * (the ring's jobs).
   */
  readonly generation: number;
  readonly reason: string;
  /** When the reason arose. */
  readonly at: number;
  /**
   * The id of a question that somebody waits for the answer of: see
   * `fleet/compiles/compile-request.ts`.
   */
  readonly request?: string;
}

/**
 * In this order: jobs that a node waits for, those of changes that were accepted, those of the
 * ring.
 */
export const QUEUE_NAMES = ['waiting', 'express', 'background'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export interface ReceivedCompileJob {
  readonly job: CompileJob;
  /** The same each time that the job is received; no other job has it. */
  readonly id: string;
  /** For `done`, `retryAfter`: valid until the visibility time-out ends. */
  readonly receipt: string;
  readonly queue: QueueName;
  /** How often it was received, this time included. */
  readonly receiveCount: number;
}

export interface QueueDepth {
  readonly visible: number;
  /** Received and not done yet. */
  readonly inFlight: number;
  /** 0 when there is none; in AWS always 0 (CloudWatch knows it). */
  readonly oldestAgeMs: number;
}

export interface CompileQueue {
  send(queue: QueueName, jobs: readonly CompileJob[], delayMs?: number): Promise<void>;
  /**
   * Up to `limit` (at most 10) jobs, in the order of the queues; waits up to `waitMs` for one. They
   * are invisible to others for the visibility time-out.
   */
  receive(limit: number, waitMs: number, signal?: AbortSignal): Promise<readonly ReceivedCompileJob[]>;
  /** Takes the job out. Does nothing when the receipt is no longer valid. */
  acknowledge(job: ReceivedCompileJob): Promise<void>;
  /**
   * Makes the job visible again after `delayMs`; after `maxReceives` receives it goes to the
   * dead-letter queue.
   */
  retryAfter(job: ReceivedCompileJob, delayMs: number): Promise<void>;
  getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>>;
  /** Takes dead letters out, for inspection. */
  takeDeadLetters(limit: number): Promise<readonly CompileJob[]>;
}

/**
 * Keeps secrets unreadable in the stores: what `seal` returns is stored, `open` gives it back.
 * Front doors and operators have one; compile workers never do.
 */
export interface KeyVault {
  seal(secret: string): Promise<string>;
  /** Throws StoreRefused when this vault did not seal it. */
  open(sealed: string): Promise<string>;
}

/** A store did not answer or refused for now: the caller retries, or answers 503. */
export class StoreUnavailable extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreUnavailable';
  }
}

/**
 * A store refuses for good: no permission, no such table or folder, broken data. The message names
 * it.
 */
export class StoreRefused extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreRefused';
  }
}

/**
 * Those that write to a store, where all of them run on this machine. Each has a name that no other
 * one gets.
 */
export interface Processes {
  /** The name of this process. */
  readonly self: string;
  /** Whether the process of that name has ended; false where that cannot be known. */
  hasEnded(name: string): boolean;
}

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
