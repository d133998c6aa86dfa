import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** What one page of a collection holds at most. */
const LARGEST_PAGE = 200;
const SMALLEST_PAGE = 4;

/** A document read, with what it's sorted by. */
interface Timed<T> {
  readonly time: number;
  readonly value: T;
}

/**
 * The newest `limit` values of collections whose keys sort the newest first, and others of the same
 * time as the last of them; in order of time only. `read` gives null for what does not count; what
 * is older than `since` is not looked at. Of each collection little more is read than is needed.
 */
export async function newestFirst<T>(
  documents: DocumentStore,
  collections: readonly string[],
  { limit, since }: { readonly limit: number; readonly since: number },
  read: (document: StoredDocument) => Timed<T | null>,
): Promise<readonly T[]> {
  const share = Math.max(SMALLEST_PAGE, Math.ceil((2 * limit) / collections.length));
  const cursors = collections.map((collection) => new Cursor(documents, collection, since, share, read));
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

/** A place in a collection. */
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
    since: number,
    size: number,
    read: (document: StoredDocument) => Timed<T | null>,
  ) {
    this.#documents = documents;
    this.#collection = collection;
    this.#since = since;
    this.#size = Math.min(size, LARGEST_PAGE);
    this.#read = read;
  }

  /** Reads on when nothing is ahead: more each time. */
  async fill(): Promise<void> {
    if (this.#ahead.length > 0 || this.#isAtEnd) return;
    const page = await this.#documents.list(this.#collection, '', this.#size, this.#after);
    const read = page.map(({ document }) => this.#read(document));
    this.#ahead = read.filter(({ time }) => time >= this.#since);
    this.#isAtEnd = this.#ahead.length < this.#size;
    this.#after = page.at(-1)?.key;
    this.#size = Math.min(2 * this.#size, LARGEST_PAGE);
  }

  /** Of what is ahead; minus infinity for nothing. */
  get time(): number {
    return this.#ahead[0]?.time ?? NONE;
  }

  take(): T | null {
    return this.#ahead.shift()?.value ?? null;
  }
}
