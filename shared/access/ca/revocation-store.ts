import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { RevokedSerial } from './certificates.ts';
import { PartedDocument } from './parted-document.ts';
import { UpstreamListStore } from './upstream-lists.ts';

/** A signed list with its entries. */
export interface SignedList {
  readonly pem: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly number: number;
  readonly entries: readonly RevokedSerial[];
}

/** A stored list: `head` is the document that names the list in force. */
export interface StoredList {
  readonly id: string;
  readonly head: StoredDocument;
  readonly list: SignedList;
}

const HEAD = 'revocation-list';

/** Stores the revocation list, which may have any length. */
export class RevocationStore {
  readonly #document: PartedDocument;

  constructor(documents: DocumentStore) {
    this.#document = new PartedDocument(documents, HEAD);
  }

  /** Id of the list in force, by one small read; null when there is none. */
  async getListId(): Promise<string | null> {
    const head = await this.#document.getHead();
    return head && String(head.id);
  }

  /** The list in force, or null. */
  async read(): Promise<StoredList | null> {
    const found = await this.#document.read();
    if (found === null) return null;
    const { head, text } = found;
    if (text === null) throw new Error('The stored revocation list is damaged');
    // Written by this class; gzip compares its checksum.
    return { id: String(head.id), head, list: JSON.parse(text) as SignedList };
  }

  /** Stores the successor of `before`; null when another list is in force by now. */
  async write(before: StoredList | null, list: SignedList): Promise<StoredList | null> {
    const { number, updatedAt } = list;
    const text = JSON.stringify(list);
    const head = await this.#document.replace(before?.head ?? null, { number, text, more: { updatedAt } });
    return head && { id: String(head.id), head, list };
  }
}

/** Deletes parts that belong to no list in force; returns their number. */
export async function pruneRevocations(documents: DocumentStore): Promise<number> {
  return (await new UpstreamListStore(documents).prune()) + (await new PartedDocument(documents, HEAD).prune());
}
