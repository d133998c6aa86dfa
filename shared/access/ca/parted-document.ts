import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { canonicalJson } from '../../util/digest.ts';

const COLLECTION = 'ca';
/** DynamoDB's limit for an item is 400 KB. */
const PART_CHARACTERS = 256 * 1024;
const PAGE = 100;
/**
 * Bounded retry: another process may store the next text between the reads of head and parts. 20
 * such races in a row do not occur in practice.
 */
const MOST_READS = 20;

/** The text in force, with the head that names it; the text is null when it is damaged. */
export interface FoundText {
  readonly head: StoredDocument;
  readonly text: string | null;
}

interface NewText {
  /** Not smaller than that of the text in force. */
  readonly number: number;
  /** Null: that of the head that is replaced. */
  readonly text: string | null;
  /** Further members of the head. */
  readonly more: StoredDocument;
}

/**
 * Stores a text of any length. A small head document is replaced by compare-and-swap. It names the
 * immutable parts of bounded size that hold the text, by a number and the digest of the text.
 */
export class PartedDocument {
  readonly #documents: DocumentStore;
  readonly #key: string;

  /** `key` is that of the head. */
  constructor(documents: DocumentStore, key: string) {
    this.#documents = documents;
    this.#key = key;
  }

  getHead(): Promise<StoredDocument | null> {
    return this.#documents.get(COLLECTION, this.#key);
  }

  async read(): Promise<FoundText | null> {
    let damaged: StoredDocument | null = null;
    for (let reads = 0; reads < MOST_READS; reads += 1) {
      const head = await this.getHead();
      if (head === null) return null;
      const text = await this.#readParts(head);
      if (text !== null || head.id === damaged?.id) return { head, text };
      damaged = head;
    }
    return damaged && { head: damaged, text: null };
  }

  /** Stores the successor of a text; returns its head, or null when another one is in force. */
  async replace(before: StoredDocument | null, { number, text, more }: NewText): Promise<StoredDocument | null> {
    const { id, parts } = text === null && before !== null ? before : await this.#writeParts(number, text ?? '');
    const head = { id, parts, number, ...more };
    const isDone =
      before === null
        ? await this.#documents.create(COLLECTION, this.#key, head)
        : await this.#documents.replace(COLLECTION, this.#key, before, head);
    // After an internal retry, the store reports failure for a write that succeeded. And two
    // processes that store the same text at the same time share its parts.
    const inForce = isDone ? head : await this.getHead();
    if (inForce?.id !== id && text !== null) await this.#removeParts(head);
    if (inForce === null || canonicalJson(inForce) !== canonicalJson(head)) return null;
    if (before !== null && before.id !== id) await this.#removeParts(before);
    return head;
  }

  /**
   * Deletes parts that the text in force does not need; returns their number. Parts of a text that
   * may follow are kept, because parts are written before their head.
   */
  async prune(): Promise<number> {
    const head = await this.getHead();
    if (head === null) return 0;
    let removed = 0;
    const prefix = `${this.#key}/`;
    for await (const { key } of allDocuments(this.#documents, COLLECTION, { prefix, pageSize: PAGE })) {
      const [id = ''] = key.slice(prefix.length).split('/');
      if (id === head.id || Number.parseInt(id, 10) > Number(head.number)) continue;
      await this.#documents.delete(COLLECTION, key);
      removed += 1;
    }
    return removed;
  }

  async #writeParts(number: number, text: string): Promise<StoredDocument> {
    const packed = gzipSync(text).toString('base64');
    const id = `${number}-${createHash('sha256').update(packed).digest('hex').slice(0, 32)}`;
    const head = { id, parts: Math.ceil(packed.length / PART_CHARACTERS) };
    for (const [part, key] of this.#listKeys(head).entries()) {
      const piece = packed.slice(part * PART_CHARACTERS, (part + 1) * PART_CHARACTERS);
      await this.#documents.put(COLLECTION, key, { text: piece });
    }
    return head;
  }

  /** Null when a part is missing: another text is in force by now, or the text is damaged. */
  async #readParts(head: StoredDocument): Promise<string | null> {
    const keys = this.#listKeys(head);
    const documents = await Promise.all(keys.map((key) => this.#documents.get(COLLECTION, key)));
    const texts = documents.flatMap((document) => (typeof document?.text === 'string' ? [document.text] : []));
    if (texts.length < keys.length || texts.length === 0) return null;
    return gunzipSync(Buffer.from(texts.join(''), 'base64')).toString();
  }

  async #removeParts(head: StoredDocument): Promise<void> {
    for (const key of this.#listKeys(head)) await this.#documents.delete(COLLECTION, key);
  }

  #listKeys({ id, parts }: StoredDocument): readonly string[] {
    return Array.from({ length: typeof parts === 'number' ? parts : 0 }, (_, part) => `${this.#key}/${id}/${part}`);
  }
}
