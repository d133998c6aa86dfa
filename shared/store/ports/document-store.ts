export type StoredDocument = Readonly<Record<string, unknown>>;

/**
 * Stores reports, certificates and other small documents (JSON, below 300 KB) by key; lists them by
 * prefix.
 */
export interface DocumentStore {
  /**
   * Creates or replaces a document. After `expiresAt` (milliseconds since 1970) the store may
   * delete it; in AWS, DynamoDB does so within days, at no cost. Without it, it never expires.
   */
  put(collection: string, key: string, document: StoredDocument, expiresAt?: number): Promise<void>;
  /**
   * Creates or replaces a document and adds one to its `count`, in one write. `get` and `list` show
   * the count as a field of the document.
   */
  count(collection: string, key: string, document: StoredDocument): Promise<void>;
  /** Writes only when the key is new; else false. */
  create(collection: string, key: string, document: StoredDocument): Promise<boolean>;
  /** Compare-and-swap: writes only when the stored document equals `expected`; else false. */
  replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean>;
  get(collection: string, key: string): Promise<StoredDocument | null>;
  /** Lists up to `limit` documents in key order, after the key `after`; empty: from the first. */
  list(
    collection: string,
    prefix: string,
    limit: number,
    after?: string,
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]>;
  /** The number of documents of a collection; counting stops at `most`. */
  countKeys(collection: string, most: number): Promise<number>;
  delete(collection: string, key: string): Promise<void>;
  /** Deletes only when the stored document equals `expected`; else false. */
  remove(collection: string, key: string, expected: StoredDocument): Promise<boolean>;
}
