/**
 * A cache of immutable blobs that outlives the process. Its content is not trusted: the reader
 * checks digests. It never fails: what it cannot read or keep is a miss.
 */
export interface BlobCache {
  get(name: string): Promise<Uint8Array | null>;
  put(name: string, bytes: Uint8Array): Promise<void>;
  remove(name: string): Promise<void>;
}
