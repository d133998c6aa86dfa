import type { DependencyRegistration } from './dependency-set.ts';
import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  InputSummary,
  NodeRecord,
} from './node-record.ts';

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
