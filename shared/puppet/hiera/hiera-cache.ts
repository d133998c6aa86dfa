import { BoundedCache } from '../../util/bounded-cache.ts';

/** Result of reading a file; nothing for an empty one. */
interface ReadFile {
  readonly value: unknown;
  readonly characters: number;
}

const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * A process-wide cache of parsed data files, keyed by path and digest. A file is immutable under
 * its digest, so an entry never becomes stale. A full cache evicts the least recently used
 * files.
 */
export class HieraCache {
  readonly #entries: BoundedCache<ReadFile>;

  /** `limit`: characters of all files together. */
  constructor(limit = MOST_CHARACTERS) {
    this.#entries = new BoundedCache(limit, ({ characters }) => characters);
  }

  /**
   * Returns the cached result of `read` for that file and purpose; on a miss, calls `read`, then
   * `weigh` for the characters that were read. Errors are not cached.
   */
  get<T>(purpose: string, path: string, digest: string, read: () => T, weigh: (value: T) => number): T {
    const key = `${purpose} ${digest} ${path}`;
    const known = this.#entries.get(key);
    if (known) return known.value as T;
    const value = read();
    this.#entries.set(key, { value, characters: weigh(value) });
    return value;
  }
}
