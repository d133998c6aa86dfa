/** Runs work of one key in the order of the calls; keys do not wait for each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Returns what `work` returns. Work that fails holds up nothing. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, done);
    const forget = () => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(forget, forget);
    return done;
  }
}
