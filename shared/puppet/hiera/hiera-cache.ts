import { BoundedCache } from '../../util/bounded-cache.ts';

/** What a read made of a file; nothing for an empty one. */
interface ReadFile {
  readonly value: unknown;
}

/**
 * A process-wide cache of parsed data files, keyed by path and digest. A file is immutable under
 * its digest, so an entry never becomes stale. A full cache evicts the least recently used
 * files.
 */
export class HieraCache {
  readonly #entries: BoundedCache<ReadFile>;

  constructor(limit = 20_000) {
    this.#entries = new BoundedCache(limit);
  }

  /**
   * Returns the cached result of `read` for that file and purpose; calls `read` on a miss. Errors
   * are not cached.
   */
  get<T>(purpose: string, path: string, digest: string, read: () => T): T {
    const key = `${purpose} ${digest} ${path}`;
    const known = this.#entries.get(key);
    if (known) return known.value as T;
    const value = read();
    this.#entries.set(key, { value });
    return value;
  }
}
