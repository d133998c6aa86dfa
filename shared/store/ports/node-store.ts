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
  /** The new catalog; null when the compile failed, which keeps the last good one. */
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  readonly inputs: InputSummary;
  /**
   * The membership in the record that the compile started with, whose rows in the dependency index
   * the commit relies on: the commit is made only while the record still has it.
   */
  readonly replaces?: string | undefined;
  /** sha256 of the facts blob that was compiled with; null for none. */
  readonly facts?: string | null;
  readonly at: number;
}

/** Further changes of the record together with `wanted`. */
export interface WantChange {
  readonly environment?: string;
  readonly facts?: FactsPointer;
  /** Null removes it. */
  readonly classification?: Classification | null;
  /** Whether the caller sends a job for the new generation. */
  readonly asked: boolean;
  /** Whether that job goes to the `waiting` queue. */
  readonly waiting?: boolean;
  /** The change is made only when `wanted` still has this value. */
  readonly expected?: number;
}

/** A page of catalog pointers. */
export interface CatalogPage {
  /** Those of the nodes that have a catalog. */
  readonly catalogs: readonly CatalogPointer[];
  /** Pass this as `after` for the next page; null on the last page. */
  readonly next: string | null;
}

export interface NodeCounts {
  /** In AWS up to six hours old. */
  readonly nodes: number;
  /** Nodes with `built < wanted`; in AWS counted up to 160,000 at most. */
  readonly outstanding: number;
}

/**
 * The result of claiming a node's lease. `claimed`: the caller has it. `built`: `generation` is
 * built, or the node is gone. `heldUntil`: another worker has the lease until then; the time is in
 * the past when the lease ended meanwhile.
 */
export type LeaseClaim = 'claimed' | 'built' | { readonly heldUntil: number };

/** Stores the nodes: the generations that each wants and has built, and the lease of its worker. */
export interface NodeStore {
  get(certname: string): Promise<NodeRecord | null>;
  /** Creates the node when it is new (generation 0, nothing wanted) and updates `lastSeen`. */
  markSeen(certname: string, environment: string, at: number): Promise<NodeRecord>;
  /**
   * Increments `wanted` and returns the new record; null when the node does not exist or `expected`
   * does not match.
   */
  want(certname: string, reason: string, at: number, change: WantChange): Promise<NodeRecord | null>;
  /**
   * Sets or removes (null) the classification; creates a new node. A node that wanted something
   * before becomes out of date, and the caller sends an express job for it. Returns the new record.
   */
  classify(certname: string, classification: Classification | null, reason: string, at: number): Promise<NodeRecord>;
  /**
   * Claims the right to send a job for `generation`. True for the first caller, for the first one
   * with `waiting`, and again when the last claim is older than `unlessSince`.
   */
  ask(certname: string, generation: number, at: number, unlessSince: number, waiting?: boolean): Promise<boolean>;
  /**
   * Takes the node's compile lease until `until`. It covers reasons that arrive meanwhile. `holder`
   * is the id of the job (null: none). A current lease is granted again to the same holder: the job
   * is received again after its worker failed.
   */
  lease(certname: string, generation: number, at: number, until: number, holder: string | null): Promise<LeaseClaim>;
  /**
   * Releases a lease. False, without effect, when more is wanted by now, unless `regardless`. True
   * when another worker has the lease already.
   */
  release(certname: string, until: number, regardless: boolean): Promise<boolean>;
  /** Records that facts were stored again without a reason to compile. */
  factsStored(certname: string, facts: FactsPointer): Promise<void>;
  /**
   * One conditional write (`built < generation <= wanted`): true when it was made, false when a
   * newer commit is stored, the node is gone, or `replaces` does not match.
   */
  commit(commit: Commit): Promise<boolean>;
  /**
   * Records that every input was unchanged: sets `built` to `generation`, or returns false when
   * `built` is higher already, and moves the node to the end of the ring. `facts` is the sha256 of
   * the facts blob that was verified with; undefined when it was not read.
   */
  markVerified(certname: string, generation: number, at: number, facts?: string | null): Promise<boolean>;
  /**
   * The nodes least recently compiled, verified or fed, oldest first, all before `before`.
   * Eventually consistent.
   */
  listRing(limit: number, before: number): Promise<readonly NodeRecord[]>;
  /**
   * Moves a node to the end of the ring because a background job was sent for it; false when it
   * moved meanwhile.
   */
  moveToRingEnd(certname: string, ringPosition: number, at: number): Promise<boolean>;
  /**
   * Nodes with `built < wanted` for which no job was requested since `before`, oldest first.
   * Eventually consistent.
   */
  listOutstanding(before: number, limit: number): Promise<readonly NodeRecord[]>;
  /**
   * Lists all nodes, page by page, each once, in the store's order; `after` is the last certname of
   * the previous page.
   */
  list(after: string | null, limit: number): Promise<readonly NodeRecord[]>;
  /** Lists the catalog pointers of all nodes like `list`, without reading more of the records. */
  listCatalogs(after: string | null, limit: number): Promise<CatalogPage>;
  getCounts(): Promise<NodeCounts>;
  delete(certname: string): Promise<void>;
}
