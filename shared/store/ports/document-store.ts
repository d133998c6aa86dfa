export type StoredDocument = Readonly<Record<string, unknown>>;

/**
 * Reports, certificates and other small documents (JSON, below 300 KB) by key, with a listing by
 * prefix.
 */
export interface DocumentStore {
  put(collection: string, key: string, document: StoredDocument): Promise<void>;
  /** Writes only when the key is new; false when it is not. */
  create(collection: string, key: string, document: StoredDocument): Promise<boolean>;
  /** Writes only when what is stored still equals `expected`; false when it does not. */
  replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean>;
  get(collection: string, key: string): Promise<StoredDocument | null>;
  /** In key order; `after` goes on behind a key. */
  list(
    collection: string,
    prefix: string,
    limit: number,
    after?: string,
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]>;
  delete(collection: string, key: string): Promise<void>;
  /** Deletes only when what is stored still equals `expected`; false when it does not. */
  remove(collection: string, key: string, expected: StoredDocument): Promise<boolean>;
}
