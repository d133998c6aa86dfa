import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { RevokedSerial } from './certificates.ts';
import { DocumentParts } from './document-parts.ts';
import { UpstreamListStore } from './upstream-lists.ts';

/** A signed list with what it says. */
export interface SignedList {
  readonly pem: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly number: number;
  readonly entries: readonly RevokedSerial[];
}

/** A list as it is stored: `head` is the document that says which one is in force. */
export interface StoredList {
  readonly id: string;
  readonly head: StoredDocument;
  readonly list: SignedList;
}

const COLLECTION = 'ca';
const HEAD = 'revocation-list';
const PARTS = 'revocation-list/';
/**
 * Between a head and its parts another process may have stored the next list: so often in a row
 * that does not happen.
 */
const MOST_READS = 20;

/**
 * Keeps the revocation list, of any length: a small head document, replaced only by who has seen
 * the one before, and the list itself in documents of bounded size that the head names and that
 * never change. Lists of older releases, whose head holds them whole, are read too.
 */
export class RevocationStore {
  readonly #documents: DocumentStore;
  readonly #parts: DocumentParts;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
    this.#parts = new DocumentParts(documents, PARTS);
  }

  /** Which list is in force: one small read. Null when there is none. */
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

  /** Stores the list that follows `before`; null when another one is in force by now. */
  async write(before: StoredList | null, list: SignedList): Promise<StoredList | null> {
    const { id, parts } = await this.#parts.write(list.number, JSON.stringify(list));
    const head = { id, parts, number: list.number, updatedAt: list.updatedAt };
    const isDone =
      before === null
        ? await this.#documents.create(COLLECTION, HEAD, head)
        : await this.#documents.replace(COLLECTION, HEAD, before.head, head);
    // A store that tried twice says no to the second try; and who signs the same list at the same
    // time has the same parts.
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

/** Of an earlier release: the number of the list, beside a head that held it whole. */
const NUMBER = 'revocation-list-number';
/** Since when a whole list waits to be moved. */
const MOVING = 'revocation-list-moving';
/** Processes of the earlier release, which read whole lists only, are replaced by then. */
const MOVE_AFTER_MS = 3600_000;

/**
 * Takes parts away that belong to no list in force, and moves a list that an earlier release stored
 * whole: not at once, since processes of that release may still run. Answers how many parts there
 * were.
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

/** Whether a head is of the time when it held the list itself. */
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
