import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { RevokedSerial } from './certificates.ts';
import { DocumentParts } from './document-parts.ts';
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

const COLLECTION = 'ca';
const HEAD = 'revocation-list';
const PARTS = 'revocation-list/';
/**
 * Bounded retry: another process may store the next list between the reads of head and parts. 20
 * such races in a row do not occur in practice.
 */
const MOST_READS = 20;

/**
 * Stores the revocation list, which may have any length. A small head document is replaced by
 * compare-and-swap; it names the immutable parts of bounded size that hold the list. Lists of older
 * releases, whose head holds the whole list, are read too.
 */
export class RevocationStore {
  readonly #documents: DocumentStore;
  readonly #parts: DocumentParts;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
    this.#parts = new DocumentParts(documents, PARTS);
  }

  /** Id of the list in force, by one small read; null when there is none. */
  async getListId(): Promise<string | null> {
    const head = await this.#documents.get(COLLECTION, HEAD);
    return head === null ? null : idOf(head);
  }

  /** The list in force, or null. */
  async read(): Promise<StoredList | null> {
    let damaged: string | null = null;
    for (let reads = 0; reads < MOST_READS; reads += 1) {
      const head = await this.#documents.get(COLLECTION, HEAD);
      if (head === null) return null;
      const id = idOf(head);
      const list = isWhole(head) ? listOf(head) : await this.#listIn(id, head);
      if (list !== null) return { id, head, list };
      if (id === damaged) break;
      damaged = id;
    }
    throw new Error('The stored revocation list is damaged');
  }

  /** Stores the successor of `before`; null when another list is in force by now. */
  async write(before: StoredList | null, list: SignedList): Promise<StoredList | null> {
    const { id, parts } = await this.#parts.write(list.number, JSON.stringify(list));
    const head = { id, parts, number: list.number, updatedAt: list.updatedAt };
    const isDone =
      before === null
        ? await this.#documents.create(COLLECTION, HEAD, head)
        : await this.#documents.replace(COLLECTION, HEAD, before.head, head);
    // After an internal retry, the store reports failure for a write that succeeded. And two
    // processes that sign the same list at the same time share its parts.
    const isInForce = isDone || (await this.getListId()) === id;
    if (isInForce && before !== null && before.id !== id) await this.#remove(before);
    if (!isInForce) await this.#remove({ id, head });
    return isInForce ? { id, head, list } : null;
  }

  async #listIn(id: string, head: StoredDocument): Promise<SignedList | null> {
    const text = await this.#parts.read({ id, parts: partsOf(head) });
    return text === null ? null : listOf(JSON.parse(text));
  }

  #remove({ id, head }: Pick<StoredList, 'id' | 'head'>): Promise<void> {
    return this.#parts.remove({ id, parts: partsOf(head) });
  }
}

/** From an earlier release: the list's number, beside a head that held the whole list. */
const NUMBER = 'revocation-list-number';
/** Since when a whole list waits to be moved. */
const MOVING = 'revocation-list-moving';
/** By then, processes of the earlier release, which read whole lists only, are replaced. */
const MOVE_AFTER_MS = 3600_000;

/**
 * Deletes parts that belong to no list in force; returns their number. Also moves a list that an
 * earlier release stored whole, but not at once, since processes of that release may still run.
 */
export async function pruneRevocations(documents: DocumentStore, now: number): Promise<number> {
  return (await new UpstreamListStore(documents).prune()) + (await tidyOwn(documents, now));
}

async function tidyOwn(documents: DocumentStore, now: number): Promise<number> {
  const head = await documents.get(COLLECTION, HEAD);
  if (head === null) return 0;
  if (isWhole(head)) {
    await moveWhole(documents, now);
    return 0;
  }
  for (const key of [NUMBER, MOVING]) await documents.delete(COLLECTION, key);
  return new DocumentParts(documents, PARTS).removeUnused(idOf(head), Number(head.number));
}

async function moveWhole(documents: DocumentStore, now: number): Promise<void> {
  const moving = await documents.get(COLLECTION, MOVING);
  if (moving === null) await documents.put(COLLECTION, MOVING, { since: now });
  else if (now - Number(moving.since) >= MOVE_AFTER_MS) {
    const store = new RevocationStore(documents);
    const stored = await store.read();
    if (stored !== null && isWhole(stored.head)) await store.write(stored, stored.list);
  }
}

function partsOf({ parts }: StoredDocument): number {
  return typeof parts === 'number' ? parts : 0;
}

/** Whether a head is from an earlier release and holds the list itself. */
function isWhole(head: StoredDocument): boolean {
  return 'pem' in head;
}

function idOf(head: StoredDocument): string {
  if (isWhole(head)) return `whole-${head.number}`;
  if (typeof head.id !== 'string') throw new Error('The stored revocation list is damaged');
  return head.id;
}

function listOf({ pem, updatedAt, number, entries }: StoredDocument): SignedList {
  const isList = typeof pem === 'string' && typeof updatedAt === 'number' && typeof number === 'number';
  if (!isList || !Array.isArray(entries)) throw new Error('The stored revocation list is damaged');
  return { pem, updatedAt, number, entries: entries.filter(isRevokedSerial) };
}

function isRevokedSerial(entry: unknown): entry is RevokedSerial {
  return typeof entry === 'object' && entry !== null && 'serial' in entry && 'at' in entry;
}
