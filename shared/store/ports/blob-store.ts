/** A byte range of a blob: from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A blob as a stream. */
export interface BlobStream {
  /** Bytes of the whole blob, also for a range. */
  readonly size: number;
  /**
   * A lazy stream: it reads only on demand. Read it to its end or cancel it. It fails with the
   * store's errors.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface BlobStore {
  /** Writes bytes under a content-addressed or fixed key (`catalogs/…`, `files/…`, `facts/…`). */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes unless the key exists. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /** Reads a blob, or a range within it, without holding all of it in memory. */
  stream(key: string, range?: ByteRange): Promise<BlobStream | null>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /**
   * Lists one key, or all keys under a prefix that ends with `/`, page by page in the store's
   * order; `after` is the previous page's `next`. Blobs that are written or deleted meanwhile may
   * or may not be listed.
   */
  list(prefix: string, after?: string): Promise<BlobPage>;
}

/** A blob's metadata. */
export interface BlobEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** When the blob was last written. */
  readonly putAt: number;
}

export interface BlobPage {
  readonly entries: readonly BlobEntry[];
  /** Pass this as `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/**
 * A cache of immutable blobs that outlives the process. Its content is not trusted: the reader
 * checks digests. It never fails: what it cannot read or keep is a miss.
 */
export interface BlobCache {
  get(name: string): Promise<Uint8Array | null>;
  put(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}
