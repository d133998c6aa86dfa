import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { DocumentStore, StoredDocument } from '../store/ports.ts';
import type { RevokedSerial } from './certificates.ts';

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
/** DynamoDB takes items of 400 KB. */
const PART_CHARACTERS = 256 * 1024;
/** Between a head and its parts another process may have stored the next list: so often in a row that does not happen. */
const MOST_READS = 20;

/**
 * Keeps the revocation list, of any length: a small head document, replaced only by who has seen the one before, and the list
 * itself in documents of bounded size that the head names and that never change. Lists of older releases, whose head holds
 * them whole, are read too.
 */
export class RevocationStore {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** Which list is in force: one small read. Null when there is none. */
  async id(): Promise<string | null> {
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
      const list = isWhole(head) ? listOf(head) : await this.#parts(id, head);
      if (list !== null) return { id, head, list };
      if (id === damaged) break;
      damaged = id;
    }
    throw new Error('The stored revocation list is damaged');
  }

  /** Stores the list that follows `before`; null when another one is in force by now. */
  async write(before: StoredList | null, list: SignedList): Promise<StoredList | null> {
    const packed = gzipSync(JSON.stringify(list)).toString('base64');
    const digest = createHash('sha256').update(packed).digest('hex').slice(0, 32);
    const id = `${list.number}-${digest}`;
    const parts = Math.ceil(packed.length / PART_CHARACTERS);
    for (let part = 0; part < parts; part += 1) {
      const text = packed.slice(part * PART_CHARACTERS, (part + 1) * PART_CHARACTERS);
      await this.#documents.put(COLLECTION, partKey(id, part), { text });
    }
    const head = { id, parts, number: list.number, updatedAt: list.updatedAt };
    const isDone =
      before === null
        ? await this.#documents.create(COLLECTION, HEAD, head)
        : await this.#documents.replace(COLLECTION, HEAD, before.head, head);
    // A store that tried twice says no to the second try; and who signs the same list at the same time has the same parts.
    const isInForce = isDone || (await this.id()) === id;
    if (isInForce && before !== null && before.id !== id) await this.#remove(before);
    if (!isInForce) await this.#remove({ id, head });
    return isInForce ? { id, head, list } : null;
  }

  async #parts(id: string, head: StoredDocument): Promise<SignedList | null> {
    const keys = Array.from({ length: partsOf(head) }, (_, part) => partKey(id, part));
    const documents = await Promise.all(keys.map((key) => this.#documents.get(COLLECTION, key)));
    const texts = documents.flatMap((document) => (typeof document?.text === 'string' ? [document.text] : []));
    if (texts.length < keys.length) return null;
    return listOf(JSON.parse(gunzipSync(Buffer.from(texts.join(''), 'base64')).toString()));
  }

  async #remove({ id, head }: Pick<StoredList, 'id' | 'head'>): Promise<void> {
    for (let part = 0; part < partsOf(head); part += 1) await this.#documents.delete(COLLECTION, partKey(id, part));
  }
}

/** Of an earlier release: the number of the list, beside a head that held it whole. */
const NUMBER = 'revocation-list-number';
/** Since when a whole list waits to be moved. */
const MOVING = 'revocation-list-moving';
/** Processes of the earlier release, which read whole lists only, are replaced by then. */
const MOVE_AFTER_MS = 3600_000;
const PAGE = 100;

/**
 * Takes parts away that belong to no list in force, and moves a list that an earlier release stored whole: not at once, since
 * processes of that release may still run. Answers how many parts there were.
 */
export async function tidyRevocations(documents: DocumentStore, now: number): Promise<number> {
  const head = await documents.get(COLLECTION, HEAD);
  if (head === null) return 0;
  if (isWhole(head)) {
    await moveWhole(documents, now);
    return 0;
  }
  for (const key of [NUMBER, MOVING]) await documents.delete(COLLECTION, key);
  return removeParts(documents, head);
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

/** Parts of the list in force stay, and those of one that may follow it: they are written before their head. */
async function removeParts(documents: DocumentStore, head: StoredDocument): Promise<number> {
  const inForce = idOf(head);
  let removed = 0;
  let after: string | undefined;
  for (;;) {
    const page = await documents.list(COLLECTION, PARTS, PAGE, after);
    for (const { key } of page) {
      const [, id = '', number] = /^revocation-list\/((\d+)-[^/]*)\//.exec(key) ?? [];
      if (id === inForce || Number(number) > Number(head.number)) continue;
      await documents.delete(COLLECTION, key);
      removed += 1;
    }
    after = page.at(-1)?.key;
    if (after === undefined || page.length < PAGE) return removed;
  }
}

const PARTS = 'revocation-list/';

function partKey(id: string, part: number): string {
  return `${PARTS}${id}/${part}`;
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
