import type { LedgerBodies, LedgerEvent, LedgerKind, NodeRun } from './job-records.ts';

/** A stored record with its number. */
export interface Ledger<Body> {
  readonly number: number;
  /** Counts the commits from 1. */
  readonly version: number;
  readonly body: Body;
  /** The stop that somebody requested meanwhile; null: to go on. */
  readonly stop: StopRequest | null;
}

/** `soft`: nodes that run may finish. */
export type StopRequest = 'soft' | 'force';

export interface LedgerOptions {
  /** Open ledgers are those that somebody works on, see `listOpen`. */
  readonly isOpen: boolean;
  /** When all that is stored under the number may be deleted; null: never. */
  readonly expiresAt: number | null;
}

/** One step of a ledger; all of it is stored, or nothing. */
export interface LedgerChange<Body> {
  readonly body: Body;
  /** Each replaces what is stored of its node. */
  readonly nodes?: readonly NodeRun[];
  /** With ids that grow by one, above all earlier ones of the ledger; at most `MOST_EVENTS`. */
  readonly events?: readonly LedgerEvent[];
  /** Absent: as before. */
  readonly isOpen?: boolean;
  /** Absent: as before. */
  readonly lease?: LedgerLease;
}

/** The process that works on a ledger, until a time. */
export interface LedgerLease {
  readonly owner: string;
  readonly until: number;
}

/** Counters of numbers; jobs and plan jobs share one. */
export type LedgerCounter = 'ledgers' | 'schedules' | 'targets' | 'events';

/** The bound of events in one change. */
export const MOST_EVENTS = 200;

/**
 * Jobs, their nodes and their events; plan jobs, scheduled jobs and task targets. Each is a ledger
 * with a number. A commit names the version that it follows: of several writers one succeeds, so
 * that a ledger has one history. A reader that sees a version sees all nodes and events of it.
 */
export interface JobStore {
  /** Takes the next `count` numbers of a counter, which starts at 1; returns the first of them. */
  takeNumbers(counter: LedgerCounter, count: number): Promise<number>;
  /** Stores a new ledger as version 1. Its number was taken before; a repeated call is harmless. */
  create<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    body: LedgerBodies[Kind],
    options: LedgerOptions,
  ): Promise<void>;
  get<Kind extends LedgerKind>(kind: Kind, number: number): Promise<Ledger<LedgerBodies[Kind]> | null>;
  /** Lists ledgers with greater numbers than `after`, in the order of their numbers. */
  list<Kind extends LedgerKind>(
    kind: Kind,
    after: number,
    limit: number,
  ): Promise<readonly Ledger<LedgerBodies[Kind]>[]>;
  /** The numbers of all open ledgers, in order. */
  listOpen(kind: LedgerKind): Promise<readonly number[]>;
  /**
   * Takes the lease of a ledger. That counts as a commit: what an earlier owner commits then fails.
   * Null when another owner has it at `now`, or there is no such ledger.
   */
  claim<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    lease: LedgerLease,
    now: number,
  ): Promise<Ledger<LedgerBodies[Kind]> | null>;
  /**
   * Makes version `version + 1`; false when another writer did. `token` is unique to the change: a
   * repeated call with it succeeds if the first one did.
   */
  commit<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    version: number,
    change: LedgerChange<LedgerBodies[Kind]>,
    token: string,
  ): Promise<boolean>;
  /** Notes that a job is to stop; `force` also replaces `soft`. It is no commit. */
  requestStop(number: number, stop: StopRequest): Promise<void>;
  /** Deletes a ledger without nodes and events. */
  remove(kind: LedgerKind, number: number): Promise<void>;
  /** A node of a job; null for a node that the job has not, or that is still `new`. */
  getNode(number: number, name: string): Promise<NodeRun | null>;
  /** Nodes of a job that left the state `new`, in the order of their names. */
  listNodes(number: number, after: string, limit: number): Promise<readonly NodeRun[]>;
  /** Events with ids from `start`, in order. */
  listEvents(kind: LedgerKind, number: number, start: number, limit: number): Promise<readonly LedgerEvent[]>;
  /**
   * Deletes what expired before `now`; returns the numbers of such jobs. AWS deletes by time to
   * live, without a request: there it does nothing.
   */
  expire(now: number): Promise<readonly number[]>;
}
