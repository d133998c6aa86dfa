/**
 * Values by name, the least recently used dropped; one that is being made is made once for all who
 * wait for it.
 */
export class LruCache<T> {
  readonly #limit: number;
  readonly #weigh: (value: T) => number;
  readonly #values = new Map<string, Promise<T>>();
  readonly #weights = new Map<string, number>();
  #total = 0;

  /** Keeps values that weigh `limit` together; each weighs one unless `weigh` says otherwise. */
  constructor(limit: number, weigh: (value: T) => number = () => 1) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  async get(name: string, make: () => Promise<T>): Promise<T> {
    const value = this.#values.get(name) ?? this.#begin(name, make);
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  #begin(name: string, make: () => Promise<T>): Promise<T> {
    const value = make();
    value.then(
      (made) => this.#keep(name, made),
      // One that failed is made again next time.
      () => this.#values.delete(name),
    );
    return value;
  }

  #keep(name: string, value: T): void {
    const weight = this.#weigh(value);
    this.#weights.set(name, weight);
    this.#total += weight;
    for (const oldest of this.#values.keys()) {
      if (this.#total <= this.#limit) return;
      const dropped = this.#weights.get(oldest);
      // One that is still being made weighs nothing yet.
      if (dropped === undefined) continue;
      this.#values.delete(oldest);
      this.#weights.delete(oldest);
      this.#total -= dropped;
    }
  }
}
