import type { InventoryReply } from '../../puppet/compiler/inventory-questions.ts';

/** A node whose catalog depends on answers, and the generation of the compile that found it out. */
export interface QueryWatcher {
  readonly certname: string;
  readonly generation: number;
}

/** A request of PuppetDB's query API that another process passes on. Its sender is authorized. */
export interface PassedRequest {
  readonly method: string;
  /** `/pdb/query/v4`, or a path below. */
  readonly path: string;
  readonly parameters: readonly (readonly [string, string])[];
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that the request was sent to. */
  readonly origin: string;
  readonly body: string;
}

/** The whole answer to a passed request. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers PuppetDB's query API. */
export interface InventoryApi {
  /**
   * The answer; status 413 for one that is too large. Rejects with StoreUnavailable while the
   * inventory is away.
   */
  pass(request: PassedRequest): Promise<PassedAnswer>;
}

/**
 * Answers the queries of manifests. The rows of a query without `order_by` come in an order of
 * their own, so that equal answers are equal texts. All methods throw StoreUnavailable while the
 * inventory is away.
 */
export interface InventoryAnswers {
  /**
   * The answers, by query. A query that is wrong, or exceeds the limits, has an error. A watcher is
   * registered before the answers are read: it is notified when one changes afterwards.
   */
  ask(queries: readonly string[], watcher: QueryWatcher | null): Promise<ReadonlyMap<string, InventoryReply>>;
  /** Does the same, and gives the digest of each answer. */
  digest(queries: readonly string[], watcher: QueryWatcher | null): Promise<ReadonlyMap<string, string>>;
  /** Removes all but these queries of what this and earlier generations of the node registered. */
  keepOnly(queries: readonly string[], watcher: QueryWatcher): Promise<void>;
}
