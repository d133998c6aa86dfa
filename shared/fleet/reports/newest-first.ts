import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** Page size limit of a collection. */
const LARGEST_PAGE = 200;
const SMALLEST_PAGE = 4;

/** A document with its sort time. */
interface Timed<T> {
  readonly time: number;
  readonly value: T;
}

/**
 * Merges collections whose keys sort newest first: returns the newest `limit` values by time, and
 * all others of the last one's time. `read` returns null to skip a document. Documents older than
 * `since` are ignored, and those whose key is not behind `after`. Little more is read of each
 * collection than needed.
 */
export async function newestFirst<T>(
  documents: DocumentStore,
  collections: readonly string[],
  { limit, since, after }: { readonly limit: number; readonly since: number; readonly after?: string | undefined },
  read: (document: StoredDocument) => Timed<T | null>,
): Promise<readonly T[]> {
  const share = Math.max(SMALLEST_PAGE, Math.ceil((2 * limit) / collections.length));
  const cursors = collections.map((collection) => new Cursor(documents, collection, { since, after }, share, read));
  const found: T[] = [];
  let oldest = 0;
  for (;;) {
    await Promise.all(cursors.map((cursor) => cursor.fill()));
    const next = cursors.reduce((one, other) => (other.time > one.time ? other : one));
    const { time } = next;
    if (time === NONE || (found.length >= limit && time < oldest)) return found;
    oldest = time;
    const value = next.take();
    if (value !== null) found.push(value);
  }
}

const NONE = Number.NEGATIVE_INFINITY;

/** A read position in a collection. */
class Cursor<T> {
  readonly #documents: DocumentStore;
  readonly #collection: string;
  readonly #since: number;
  readonly #read: (document: StoredDocument) => Timed<T | null>;
  #size: number;
  #after: string | undefined;
  #ahead: Timed<T | null>[] = [];
  #isAtEnd = false;

  constructor(
    documents: DocumentStore,
    collection: string,
    { since, after }: { readonly since: number; readonly after: string | undefined },
    size: number,
    read: (document: StoredDocument) => Timed<T | null>,
  ) {
    this.#documents = documents;
    this.#collection = collection;
    this.#since = since;
    this.#after = after;
    this.#size = Math.min(size, LARGEST_PAGE);
    this.#read = read;
  }

  /** Reads the next page when none is left; each page is larger. */
  async fill(): Promise<void> {
    if (this.#ahead.length > 0 || this.#isAtEnd) return;
    const page = await this.#documents.list(this.#collection, '', this.#size, this.#after);
    const read = page.map(({ document }) => this.#read(document));
    this.#ahead = read.filter(({ time }) => time >= this.#since);
    this.#isAtEnd = this.#ahead.length < this.#size;
    this.#after = page.at(-1)?.key;
    this.#size = Math.min(2 * this.#size, LARGEST_PAGE);
  }

  /** Time of the next document; minus infinity at the end. */
  get time(): number {
    return this.#ahead[0]?.time ?? NONE;
  }

  take(): T | null {
    return this.#ahead.shift()?.value ?? null;
  }
}
