import { BoundedCache } from '../../util/bounded-cache.ts';

/**
 * Values by name, the least recently used evicted; one that is being made is made once for all who
 * wait for it.
 */
export class SharedCache<T> {
  readonly #values: BoundedCache<{ readonly value: T }>;
  readonly #pending = new Map<string, Promise<T>>();

  /**
   * Keeps values that weigh `limit` together; each weighs one unless `weigh` says otherwise. One
   * that weighs more than `limit` is not kept.
   */
  constructor(limit: number, weigh: (value: T) => number = () => 1) {
    this.#values = new BoundedCache(limit, ({ value }) => weigh(value));
  }

  /** The value of that name, made by `make` unless it is kept. One that fails is made again. */
  async get(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#values.get(name);
    if (known) return known.value;
    const pending = this.#pending.get(name) ?? this.#begin(name, make);
    return pending;
  }

  async #begin(name: string, make: () => Promise<T>): Promise<T> {
    const making = make();
    this.#pending.set(name, making);
    try {
      const value = await making;
      this.#values.set(name, { value });
      return value;
    } finally {
      this.#pending.delete(name);
    }
  }
}
