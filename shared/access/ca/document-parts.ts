import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { DocumentStore } from '../../store/ports/document-store.ts';

const COLLECTION = 'ca';
/** DynamoDB's limit for an item is 400 KB. */
const PART_CHARACTERS = 256 * 1024;
const PAGE = 100;

/**
 * A text stored in parts: its id and the number of parts. A small document, the head, names the
 * text in force.
 */
export interface Parted {
  readonly id: string;
  readonly parts: number;
}

/**
 * Stores immutable texts of any length in documents of bounded size, below a prefix. A text's id is
 * a number and the digest of its content. A head may only be replaced by one whose number is not
 * smaller.
 */
export class DocumentParts {
  readonly #documents: DocumentStore;
  readonly #prefix: string;

  /** `prefix` ends with a slash. */
  constructor(documents: DocumentStore, prefix: string) {
    this.#documents = documents;
    this.#prefix = prefix;
  }

  async write(number: number, text: string): Promise<Parted> {
    const packed = gzipSync(text).toString('base64');
    const digest = createHash('sha256').update(packed).digest('hex').slice(0, 32);
    const id = `${number}-${digest}`;
    const parts = Math.ceil(packed.length / PART_CHARACTERS);
    for (let part = 0; part < parts; part += 1) {
      const piece = packed.slice(part * PART_CHARACTERS, (part + 1) * PART_CHARACTERS);
      await this.#documents.put(COLLECTION, this.#partKey(id, part), { text: piece });
    }
    return { id, parts };
  }

  /** Null when a part is missing: another text is in force by now, or the text is damaged. */
  async read({ id, parts }: Parted): Promise<string | null> {
    const keys = Array.from({ length: parts }, (_, part) => this.#partKey(id, part));
    const documents = await Promise.all(keys.map((key) => this.#documents.get(COLLECTION, key)));
    const texts = documents.flatMap((document) => (typeof document?.text === 'string' ? [document.text] : []));
    if (texts.length < keys.length) return null;
    return gunzipSync(Buffer.from(texts.join(''), 'base64')).toString();
  }

  async remove({ id, parts }: Parted): Promise<void> {
    for (let part = 0; part < parts; part += 1) await this.#documents.delete(COLLECTION, this.#partKey(id, part));
  }

  /**
   * Deletes parts that no text in force needs; returns their number. Parts of a text that may
   * follow `inForce` are kept, because parts are written before their head.
   */
  async removeUnused(inForce: string, number: number): Promise<number> {
    let removed = 0;
    let after: string | undefined;
    for (;;) {
      const page = await this.#documents.list(COLLECTION, this.#prefix, PAGE, after);
      for (const { key } of page) {
        const [id = ''] = key.slice(this.#prefix.length).split('/');
        if (id === inForce || Number.parseInt(id, 10) > number) continue;
        await this.#documents.delete(COLLECTION, key);
        removed += 1;
      }
      after = page.at(-1)?.key;
      if (after === undefined || page.length < PAGE) return removed;
    }
  }

  #partKey(id: string, part: number): string {
    return `${this.#prefix}${id}/${part}`;
  }
}
