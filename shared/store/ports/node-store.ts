import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  Grouping,
  InputSummary,
  JobClaim,
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
  /** `revisionToken` of the environment that has these inputs; absent when it is not known. */
  readonly revision?: string | null;
  readonly at: number;
}

/** State of the inputs against which the last commit was verified. */
export interface Verification {
  /** `built` of the record whose inputs were verified; absent: any. */
  readonly built?: number;
  /** sha256 of the facts blob, null for none; absent when it was not read. */
  readonly facts?: string | null | undefined;
  /** `revisionToken` of the environment; null when it is not deployed. */
  readonly revision?: string | null;
}

/** Further changes of the record together with `wanted`. */
export interface WantChange {
  readonly environment?: string;
  readonly facts?: FactsPointer;
  /** Null removes it. */
  readonly classification?: Classification | null;
  /** Null removes it. */
  readonly grouping?: Grouping | null;
  /** Null removes it. */
  readonly external?: Classification | null;
  /** Whether the caller sends a job when one is due. */
  readonly asked: boolean;
  /** Whether that job goes to the `waiting` queue. */
  readonly waiting?: boolean;
  /** Whether a job that is received later (`asked.at`) may serve the reason. */
  readonly mayWait?: boolean;
  /** `revisionToken` of the deploy that is the reason: the node is invalidated for it once. */
  readonly revision?: string;
  /** The change is made only when `wanted` still has this value. */
  readonly expected?: number;
  /** The change is made only when `version` still has this value. */
  readonly version?: number;
}

/** The members of a node record about the node's groups. */
export interface GroupedNode extends Pick<NodeRecord, 'certname' | 'wanted' | 'grouping' | 'facts' | 'version'> {
  /** Whether the operator classified the node: groups change nothing then. */
  readonly isPushed: boolean;
}

/** A node in a list. */
export interface NodeSummary extends Pick<NodeRecord, 'certname' | 'environment' | 'wanted' | 'built' | 'lastSeen'> {
  /** When the catalog was compiled; null without one. */
  readonly compiledAt: number | null;
  /** The first 200 characters of why the last compile failed; null when it did not. */
  readonly failure: string | null;
  /** Whether the catalog follows from calls that are not deterministic. */
  readonly isVolatile: boolean;
}

/** A node's time in an index. */
interface NodeMark {
  readonly certname: string;
  readonly at: number;
}

/** The first nodes of an index by time. */
export interface NodeMarks {
  /** Oldest first. */
  readonly marks: readonly NodeMark[];
  /** Whether others follow these. */
  readonly hasMore: boolean;
}

/** A page of pointers to catalogs and facts. */
export interface CatalogPage {
  /** Catalogs of the nodes that have one. */
  readonly catalogs: readonly CatalogPointer[];
  /** Facts of the nodes that sent some. */
  readonly facts: readonly (FactsPointer & { readonly certname: string })[];
  /** Pass this as `after` for the next page; null on the last page. */
  readonly next: string | null;
}

export interface NodeCounts {
  /** In AWS up to six hours old. */
  readonly nodes: number;
  /** Nodes with `built < wanted`; in AWS counted up to 160,000 at most. */
  readonly outstanding: number;
}

/** A node after `want` or `classify`. */
export interface WantedNode extends NodeRecord {
  /**
   * Whether the caller must send a job now. False when a job in the queue covers the reason, and
   * when a worker with a current lease will compile the node in its next round.
   */
  readonly isJobDue: boolean;
  /** Whether the job that is due has priority over one that stands for the node already. */
  readonly isUpgrade: boolean;
}

/**
 * The result of claiming a node's lease. `node`: the caller has it, and compiles `node.wanted`.
 * `built`: nothing is outstanding, or the node is gone. `heldUntil`: another worker has the lease
 * until then; the time is in the past when the lease ended meanwhile.
 */
export type LeaseClaim = { readonly node: NodeRecord } | 'built' | { readonly heldUntil: number };

/** Stores the nodes: the generations that each wants and has built, and the lease of its worker. */
export interface NodeStore {
  get(certname: string): Promise<NodeRecord | null>;
  /** Creates the node when it is new (generation 0, nothing wanted) and updates `lastSeen`. */
  markSeen(certname: string, environment: string, at: number): Promise<NodeRecord>;
  /**
   * Adds a reason to compile, and increments `wanted` unless the outstanding compile has not begun
   * (see `planWant`). Returns the new record; null when the node does not exist, or `expected` or
   * `version` does not match. A node that was invalidated by `revision` before keeps its record.
   */
  want(certname: string, reason: string, at: number, change: WantChange): Promise<WantedNode | null>;
  /**
   * Sets or removes (null) the classification; creates a new node. A node that wanted something
   * before becomes out of date, and the caller sends an express job if one is due. Returns the new
   * record.
   */
  classify(certname: string, classification: Classification | null, reason: string, at: number): Promise<WantedNode>;
  /**
   * Claims the right to send a job for `generation`. Returns the claim before it to the first
   * caller, to the first one with `waiting`, and again when the last claim is older than
   * `unlessSince`; null to all others.
   */
  ask(
    certname: string,
    generation: number,
    at: number,
    unlessSince: number,
    waiting?: boolean,
  ): Promise<JobClaim | null>;
  /**
   * Takes back a claim of `ask`, `want` or `classify`, because there is no job: the next reason, or
   * the feeder, sends one.
   */
  unask(certname: string, generation: number): Promise<void>;
  /**
   * Takes back the priority of the node's job, because no request waits for `generation` any more.
   * False, without effect, when its compile has started.
   */
  demote(certname: string, generation: number): Promise<boolean>;
  /**
   * Takes the node's compile lease until `until` and sets `started` to `wanted`. Inputs must be
   * read after it: a reason that arrived before is part of this compile, a later one increments
   * `wanted`.
   * `holder` is the id of the job (null: none), which covers the reasons that arrive meanwhile. A
   * current lease is granted again to the same holder: the job is received again after its worker
   * failed.
   */
  lease(certname: string, at: number, until: number, holder: string | null): Promise<LeaseClaim>;
  /**
   * Ends a round of the lease that ends at `until`. When more is wanted by now, sets `started` to
   * `wanted` and returns the record for the next round. Else releases the lease; null. Null, too,
   * when another worker has the lease.
   */
  finishRound(certname: string, until: number): Promise<NodeRecord | null>;
  /** Releases a lease after a fault; the job will be received again. */
  release(certname: string, until: number): Promise<void>;
  /**
   * Ends the lease that a job has, if it has it and nothing is outstanding: its worker committed,
   * and died before it released the lease. Else reasons that come would wait for its next round.
   */
  endLease(certname: string, holder: string): Promise<void>;
  /**
   * Records that facts were stored again without a reason to compile. False, without effect, when
   * the record has another version than the given one, or does not exist.
   */
  factsStored(certname: string, facts: FactsPointer, version?: number): Promise<boolean>;
  /**
   * Records what the groups said of the node, without a reason to compile. False, without effect,
   * when the record has another version.
   */
  noteGrouping(certname: string, grouping: Grouping, version: number): Promise<boolean>;
  /**
   * One conditional write (`built < generation <= wanted`): true when it was made, false when a
   * newer commit is stored, the node is gone, or `replaces` does not match.
   */
  commit(commit: Commit): Promise<boolean>;
  /**
   * Records that every input is as it was: sets `built` to `generation`, or returns false when
   * `built` is higher already or not as expected, and moves the node to the end of the ring.
   */
  markVerified(certname: string, generation: number, at: number, checked?: Verification): Promise<boolean>;
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
   * Nodes with `built < wanted` for which no job was requested since `before`, oldest first. A
   * store that has the jobs, too, adds those without a job for which none was requested since
   * `jobBefore`. Eventually consistent.
   */
  listOutstanding(before: number, limit: number, jobBefore?: number): Promise<readonly NodeRecord[]>;
  /**
   * Lists all nodes, page by page, each once, in the store's order; `after` is the last certname of
   * the previous page.
   */
  list(after: string | null, limit: number): Promise<readonly NodeRecord[]>;
  /**
   * Lists the pointers of all nodes like `list`, without reading more of the records. Eventually
   * consistent.
   */
  listCatalogs(after: string | null, limit: number): Promise<CatalogPage>;
  /** Lists the groupings of all nodes like `list`, without parsing more of the records. */
  listGroupings(after: string | null, limit: number): Promise<readonly GroupedNode[]>;
  /** Lists all nodes like `list`, with what a list shows of them. */
  listSummaries(after: string | null, limit: number): Promise<readonly NodeSummary[]>;
  /**
   * The first nodes of an index at `since` or later, none left out between them: `ring` has when
   * each was last compiled, verified, fed or created, and `outstanding` when those with `built <
   * wanted` came to be so, or a job was sent for them. Eventually consistent.
   */
  listMarks(index: 'ring' | 'outstanding', since: number, limit: number): Promise<NodeMarks>;
  /** The summaries of these nodes, in no order; without those that are not there. */
  getSummaries(certnames: readonly string[]): Promise<readonly NodeSummary[]>;
  /** The names of up to `limit` nodes with `built < wanted`, in no order. Eventually consistent. */
  listOutstandingNames(limit: number): Promise<readonly string[]>;
  getCounts(): Promise<NodeCounts>;
  delete(certname: string): Promise<void>;
}
