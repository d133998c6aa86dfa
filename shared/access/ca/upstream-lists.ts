import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { DocumentParts, type Parted } from './document-parts.ts';

/** Revocation lists of another server's CA. */
export interface UpstreamLists {
  /** All of them, as they were fetched. */
  readonly pem: string;
  /** What that server says of their last change; null for nothing. */
  readonly modified: string | null;
  /** When it last said that these are in force. */
  readonly checkedAt: number;
}

/** Lists with the document that says that they are in force. */
export interface StoredUpstreamLists extends UpstreamLists {
  readonly head: StoredDocument;
}

/** A head, and what it stands for; null where that is damaged. */
type Known = Pick<StoredUpstreamLists, 'head'> & { readonly pem: string | null };

const COLLECTION = 'ca';
const HEAD = 'upstream-lists';
/**
 * Between a head and its parts another process may have stored the next lists: so often in a row
 * that does not happen.
 */
const MOST_TRIES = 20;

/**
 * Keeps the revocation lists of an upstream CA, of any length, for all front doors: a small head
 * document that is written at each look, and parts that are written when the lists change. What an
 * earlier release kept whole in the head is read too.
 */
export class UpstreamListStore {
  readonly #documents: DocumentStore;
  readonly #parts: DocumentParts;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
    this.#parts = new DocumentParts(documents, `${HEAD}/`);
  }

  /** Null when there are none, or they are damaged: they can be fetched again. */
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
   * Stores lists in place of `before`, as it was read or stored last. Answers what is in force
   * then: the lists of another front door when it looked later.
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

  /** Takes parts away that belong to no lists in force, and answers how many there were. */
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

/** Null for a head of the time when it held the lists itself. */
function toParted({ id, parts }: StoredDocument): Parted | null {
  return typeof id === 'string' && typeof parts === 'number' ? { id, parts } : null;
}
