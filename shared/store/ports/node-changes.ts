import type { StoredDocument } from './document-store.ts';
import type { CatalogPointer, FactsPointer, FailureRecord } from './node-record.ts';

/** Content of a change of a node. */
export type NodeChangeDetail =
  /** The node's record was created. */
  | { readonly kind: 'created' }
  /** Facts were stored, maybe the same again. */
  | { readonly kind: 'facts'; readonly before: FactsPointer | null; readonly after: FactsPointer }
  /** A catalog was committed, maybe the same again. */
  | { readonly kind: 'catalog'; readonly before: CatalogPointer | null; readonly after: CatalogPointer }
  /** A compile failed; or a commit without a failure followed one (`after` is null). */
  | { readonly kind: 'failure'; readonly before: FailureRecord | null; readonly after: FailureRecord | null }
  /** A report was stored: its document (see `REPORT_COLLECTIONS`). */
  | { readonly kind: 'report'; readonly document: StoredDocument }
  /** The node's record was deleted. */
  | { readonly kind: 'removed' };

/** A change of a node that was committed. */
export type NodeChange = { readonly certname: string; readonly at: number } & NodeChangeDetail;

/** Position of a consumer in the log. */
export interface ChangePlace {
  /** The last change that it handled. */
  readonly position: number;
  /**
   * The certname after which its pass over all nodes continues; empty: it begins. Null: no pass is
   * due.
   */
  readonly pass: string | null;
}

/** The next work of a consumer. */
export interface ChangeTurn {
  /** The next changes, oldest first; those of a node in the order in which they were made. */
  readonly changes: readonly NodeChange[];
  /** The consumer's place before the turn. */
  readonly pass: string | null;
  /** Its position when it has handled the changes. */
  readonly position: number;
}

/**
 * Keeps the changes of all nodes for consumers. A change is written in the transaction that makes
 * it, and each consumer reads it at least once: it handles a turn, then advances. Without
 * consumers nothing is written.
 *
 * Changes are deleted when all consumers have handled them, and when they are three days old or a
 * million newer ones exist. A consumer that has missed changes, or is new, has to pass over all
 * nodes. A consumer that has missed changes and was away for a week is forgotten.
 *
 * In AWS, the streams of the tables call functions instead, which keep changes for a day; this port
 * is unused there. `store/aws/change-streams.ts` makes the same changes of their records.
 */
export interface NodeChangeLog {
  /** Keeps changes for this consumer from now on. Has no effect on one that is known. */
  follow(consumer: string): Promise<void>;
  /** The consumer's next turn, with at most `limit` changes. */
  read(consumer: string, limit: number): Promise<ChangeTurn>;
  /** Records that the consumer has come so far. */
  advance(consumer: string, place: ChangePlace): Promise<void>;
  /** Keeps no changes for this consumer any more. */
  forget(consumer: string): Promise<void>;
}
