/** Bytes of a blob from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A blob that is read as it is sent on. */
export interface BlobStream {
  /** Bytes of the whole blob, whatever part of it was asked for. */
  readonly size: number;
  /**
   * Reads nothing before it is asked; to be read to its end or cancelled. Fails with
   * `StoreUnavailable` as the store does.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface BlobStore {
  /**
   * Writes bytes under a content-addressed or otherwise fixed key (`catalogs/…`, `files/…`,
   * `facts/…`).
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes unless the key is there. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /**
   * The same without holding all of it in memory; of the whole blob, or of a range that lies within
   * it.
   */
  stream(key: string, range?: ByteRange): Promise<BlobStream | null>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /**
   * What is there under a prefix that ends with `/`, or under one key, page by page in the store's
   * own order; `after` is what the page before said. What is written or deleted meanwhile may or
   * may not be told.
   */
  list(prefix: string, after?: string): Promise<BlobPage>;
}

/** A blob without its bytes. */
export interface BlobEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** When it was last put. */
  readonly putAt: number;
}

export interface BlobPage {
  readonly entries: readonly BlobEntry[];
  /** For the next page; null when this is the last one. */
  readonly next: string | null;
}
