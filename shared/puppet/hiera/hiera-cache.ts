/**
 * What was read from data files, by path and digest, for all compiles of a process. Files are
 * immutable under their digest, so an entry is never wrong; it is forgotten when there are too
 * many.
 */
export class HieraCache {
  readonly #limit: number;
  readonly #entries = new Map<string, unknown>();

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  /** What `read` once made of that file for that purpose. What it throws is not kept. */
  get<T>(purpose: string, path: string, digest: string, read: () => T): T {
    const key = `${purpose} ${digest} ${path}`;
    if (this.#entries.has(key)) return this.#entries.get(key) as T;
    const made = read();
    if (this.#entries.size >= this.#limit) this.#entries.clear();
    this.#entries.set(key, made);
    return made;
  }
}
