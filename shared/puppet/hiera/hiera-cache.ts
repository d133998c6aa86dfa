import { BoundedCache } from '../../util/bounded-cache.ts';

/** What a read made of a file; nothing for an empty one. */
interface ReadFile {
  readonly value: unknown;
}

/**
 * What was read from data files, by path and digest, for all compiles of a process. Files are
 * immutable under their digest, so an entry is never wrong; the least recently used is evicted
 * when there are too many.
 */
export class HieraCache {
  readonly #entries: BoundedCache<ReadFile>;

  constructor(limit = 20_000) {
    this.#entries = new BoundedCache(limit);
  }

  /** What `read` once made of that file for that purpose. What it throws is not kept. */
  get<T>(purpose: string, path: string, digest: string, read: () => T): T {
    const key = `${purpose} ${digest} ${path}`;
    const known = this.#entries.get(key);
    if (known) return known.value as T;
    const value = read();
    this.#entries.set(key, { value });
    return value;
  }
}
