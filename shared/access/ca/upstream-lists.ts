import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { DocumentParts, type Parted } from './document-parts.ts';

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

/** A head and its lists; null when they are damaged. */
type Known = Pick<StoredUpstreamLists, 'head'> & { readonly pem: string | null };

const COLLECTION = 'ca';
const HEAD = 'upstream-lists';
/**
 * Bounded retry: another process may store the next lists between the reads of head and parts. 20
 * such races in a row do not occur in practice.
 */
const MOST_TRIES = 20;

/**
 * Stores the revocation lists of an upstream CA, of any length, for all front doors. A small head
 * document is written at each check; the parts are written when the lists change. Heads of an
 * earlier release, which hold the whole lists, are read too.
 */
export class UpstreamListStore {
  readonly #documents: DocumentStore;
  readonly #parts: DocumentParts;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
    this.#parts = new DocumentParts(documents, `${HEAD}/`);
  }

  /** Null when there are none, or when they are damaged: they can be fetched again. */
  async read(): Promise<StoredUpstreamLists | null> {
    let damaged: string | null = null;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const head = await this.#documents.get(COLLECTION, HEAD);
      if (head === null || typeof head.checkedAt !== 'number') return null;
      const parted = toParted(head);
      const pem = parted === null ? head.pem : await this.#parts.read(parted);
      if (typeof pem === 'string') {
        const modified = typeof head.modified === 'string' ? head.modified : null;
        return { head, pem, modified, checkedAt: head.checkedAt };
      }
      if (parted === null || parted.id === damaged) return null;
      damaged = parted.id;
    }
    return null;
  }

  /**
   * Replaces `before`, the lists last read or stored. Returns the lists then in force: those of
   * another front door when its check was later.
   */
  async write(lists: UpstreamLists, before: StoredUpstreamLists | null): Promise<StoredUpstreamLists> {
    let known: Known | null = before;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const kept = await this.#replace(known, lists);
      if (kept !== null) return kept;
      const inForce = await this.read();
      if (inForce !== null && inForce.checkedAt >= lists.checkedAt) return inForce;
      const damaged = inForce === null ? await this.#documents.get(COLLECTION, HEAD) : null;
      known = inForce ?? (damaged && { head: damaged, pem: null });
    }
    throw new Error('The revocation lists of the upstream certificate authority could not be stored');
  }

  /** Deletes parts that belong to no lists in force; returns their number. */
  async prune(): Promise<number> {
    const head = await this.#documents.get(COLLECTION, HEAD);
    const parted = head && toParted(head);
    return parted === null ? 0 : this.#parts.removeUnused(parted.id, Number(head?.checkedAt));
  }

  /** Null when another head is in force. */
  async #replace(
    before: Known | null,
    { pem, modified, checkedAt }: UpstreamLists,
  ): Promise<StoredUpstreamLists | null> {
    const old = before && toParted(before.head);
    const isSame = old !== null && before?.pem === pem;
    const parted = isSame ? old : await this.#parts.write(checkedAt, pem);
    const head = { id: parted.id, parts: parted.parts, modified, checkedAt };
    const isDone =
      before === null
        ? await this.#documents.create(COLLECTION, HEAD, head)
        : await this.#documents.replace(COLLECTION, HEAD, before.head, head);
    if (isDone && old !== null && !isSame) await this.#parts.remove(old);
    if (!isDone && !isSame && (await this.#documents.get(COLLECTION, HEAD))?.id !== parted.id) {
      await this.#parts.remove(parted);
    }
    return isDone ? { head, pem, modified, checkedAt } : null;
  }
}

/** Null for a head of an earlier release, which holds the lists itself. */
function toParted({ id, parts }: StoredDocument): Parted | null {
  return typeof id === 'string' && typeof parts === 'number' ? { id, parts } : null;
}
