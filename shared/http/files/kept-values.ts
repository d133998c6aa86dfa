/** Values by name, the least recently used dropped; one that is being made is made once for all who wait for it. */
export class KeptValues<T> {
  readonly #limit: number;
  readonly #values = new Map<string, Promise<T>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async get(name: string, make: () => Promise<T>): Promise<T> {
    const value = this.#values.get(name) ?? this.#begin(name, make);
    this.#values.delete(name);
    this.#values.set(name, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#limit && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }

  #begin(name: string, make: () => Promise<T>): Promise<T> {
    const value = make();
    // One that failed is made again next time.
    value.catch(() => {
      if (this.#values.get(name) === value) this.#values.delete(name);
    });
    return value;
  }
}
