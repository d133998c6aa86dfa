import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { type FoundText, PartedDocument } from './parted-document.ts';

/** Revocation lists of another server's CA. */
export interface UpstreamLists {
  /** All lists, as they were fetched. */
  readonly pem: string;
  /** The server's `Last-Modified` of the lists; null without one. */
  readonly modified: string | null;
  /** When the server last confirmed that these are in force. */
  readonly checkedAt: number;
}

/** Lists with the head document that makes them the ones in force. */
export interface StoredUpstreamLists extends UpstreamLists {
  readonly head: StoredDocument;
}

/** Bounded retry: other front doors may store the results of their checks. */
const MOST_TRIES = 20;

/**
 * Stores the revocation lists of an upstream CA for all front doors. The head is written at each
 * check; the lists are written when they change.
 */
export class UpstreamListStore {
  readonly #document: PartedDocument;

  constructor(documents: DocumentStore) {
    this.#document = new PartedDocument(documents, 'upstream-lists');
  }

  /** Null when there are none, or when they are damaged: they can be fetched again. */
  async read(): Promise<StoredUpstreamLists | null> {
    return listsOf(await this.#document.read());
  }

  /**
   * Replaces `before`, the lists last read or stored. Returns the lists then in force: those of
   * another front door when its check was later.
   */
  async write(lists: UpstreamLists, before: StoredUpstreamLists | null): Promise<StoredUpstreamLists> {
    const { pem, modified, checkedAt } = lists;
    let known: FoundText | null = before && { head: before.head, text: before.pem };
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const text = known?.text === pem ? null : pem;
      const head = await this.#document.replace(known?.head ?? null, { number: checkedAt, text, more: { modified } });
      if (head !== null) return { head, ...lists };
      known = await this.#document.read();
      const inForce = listsOf(known);
      if (inForce !== null && inForce.checkedAt >= checkedAt) return inForce;
    }
    throw new Error('The revocation lists of the upstream certificate authority could not be stored');
  }

  /** Deletes parts that belong to no lists in force; returns their number. */
  prune(): Promise<number> {
    return this.#document.prune();
  }
}

function listsOf(found: FoundText | null): StoredUpstreamLists | null {
  if (found === null || found.text === null) return null;
  const { head, text } = found;
  const modified = typeof head.modified === 'string' ? head.modified : null;
  return { head, pem: text, modified, checkedAt: Number(head.number) };
}
