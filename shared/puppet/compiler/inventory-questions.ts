import type { InputRecorder } from '../environment/environment.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { InventoryPort } from '../evaluator/ports.ts';
import { parseJson } from '../serialization/json.ts';
import type { Value } from '../types/values/values.ts';

/** An answer of the inventory to a query. */
export interface InventoryReply {
  /** Identifies the answer, whatever the order of its rows. */
  readonly digest: string;
  /** JSON text of an array of rows; null when the query is wrong. */
  readonly rows: string | null;
  /** Why there are no rows; null when there are. */
  readonly error: string | null;
}

/** Returns the answer to a query; null when it was not fetched yet. */
export type InventoryLookup = (query: string) => InventoryReply | null;

/**
 * Thrown when a compile needs an answer that was not provided. It is not an error: the caller asks
 * the inventory and restarts the compile.
 */
export class NeedsReply extends Error {
  readonly query: string;

  constructor(query: string) {
    super('an answer of the inventory is needed');
    this.name = 'NeedsReply';
    this.query = query;
  }
}

/** Most queries of one catalog; each is asked again at each verification. */
const MOST_QUERIES = 200;
/** The longest query, in characters: a node's record holds those of its catalog. */
const LONGEST_QUERY = 8192;
/** The longest queries of one catalog together. */
const LONGEST_QUERIES = 65_536;

/** Gives code the answers that were provided, and records each as an input. */
export class InventoryQuestions implements InventoryPort {
  readonly #lookUp: InventoryLookup;
  readonly #inputs: InputRecorder;
  readonly #asked = new Set<string>();
  #length = 0;

  constructor(lookUp: InventoryLookup, inputs: InputRecorder) {
    this.#lookUp = lookUp;
    this.#inputs = inputs;
  }

  ask(query: string): Value {
    this.#checkBounds(query);
    const reply = this.#lookUp(query);
    if (reply === null) throw new NeedsReply(query);
    this.#inputs.recordQuery(query, reply.digest);
    if (reply.rows === null) {
      throw new PuppetError(ISSUES.INVENTORY_QUERY_REFUSED({ query, reason: reply.error ?? 'no reason' }));
    }
    return parseJson(reply.rows);
  }

  #checkBounds(query: string): void {
    if (this.#asked.has(query)) return;
    this.#asked.add(query);
    this.#length += query.length;
    if (query.length > LONGEST_QUERY) {
      throw new PuppetError(ISSUES.INVENTORY_QUERY_TOO_LONG({ length: query.length, limit: LONGEST_QUERY }));
    }
    if (this.#asked.size > MOST_QUERIES || this.#length > LONGEST_QUERIES) {
      const bounds = { queries: MOST_QUERIES, characters: LONGEST_QUERIES };
      throw new PuppetError(ISSUES.TOO_MANY_INVENTORY_QUERIES(bounds));
    }
  }
}
