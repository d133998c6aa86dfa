import { type Footprint, footprintOf } from './footprint.ts';

/** Stores whose writes can be undone. */
export interface Rewindable {
  /** Notes the state, under a name; may be called before each write. */
  save(name: string): void | Promise<void>;
  /** Brings back the state that was noted, and forgets it with all that were noted later. */
  rewind(name: string): void | Promise<void>;
  /** Brings back the state before the first run. */
  end(): void | Promise<void>;
}

interface Call {
  readonly name: string;
  made: { readonly result: unknown } | { readonly error: unknown } | null;
}

/**
 * Lets a run that begins with the steps of the run before it take the results of their store calls
 * from there, while the stores are only set back to where the runs part. Runs of a depth-first
 * exploration share nine of ten steps with the one before. The code of the processes runs anew: its
 * state is in closures.
 */
export class Trail {
  readonly #stores = new Map<Rewindable, number[]>();
  readonly #calls: Call[] = [];
  /** The number of calls that led to each state. */
  readonly #states: number[] = [];
  #count = 0;
  /** The calls of this run whose results are known. */
  #known = 0;
  #isPaused = false;

  /** Adds stores that a run begins with. False when an earlier run did: they are in use. */
  begin(stores: Rewindable): boolean {
    if (this.#stores.has(stores)) return false;
    this.#stores.set(stores, []);
    return true;
  }

  /** Returns the store with its calls noted. */
  wrap<T extends object>(port: string, store: T, stores: Rewindable, footprint?: Footprint): T {
    return new Proxy(store, {
      get: (_, name) => {
        const method: unknown = Reflect.get(store, name, store);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]) => {
          const isWrite = (footprint ?? footprintOf(port, String(name), args)).some((one) => one.isWrite);
          const make = (): Promise<unknown> => method.apply(store, args);
          return this.#call(`${port}.${String(name)}`, isWrite ? stores : null, make);
        };
      },
    });
  }

  /** A look at the stores that is no call of a port. */
  look<T>(look: () => T): T {
    if (this.#isPaused) return look();
    const known = this.#takeKnown('look');
    if (known) return (known.made as { result: T }).result;
    const result = look();
    this.#calls[this.#count - 1] = { name: 'look', made: { result } };
    return result;
  }

  /** Makes calls that no later run repeats. */
  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
    }
  }

  /** Notes that so many steps led to the state that the stores have now. */
  mark(steps: number): void {
    this.#states[steps] = this.#count;
  }

  /** Ends the part of a run that the next one may repeat. */
  async endRun(): Promise<void> {
    for (const stores of this.#stores.keys()) await this.#save(stores, this.#count);
    this.#isPaused = true;
  }

  /** Sets the stores back to the state after the first steps of the run, and begins another one. */
  async rewind(steps: number): Promise<void> {
    this.#known = this.#states[steps] ?? 0;
    this.#count = 0;
    this.#isPaused = false;
    for (const [stores, saved] of this.#stores) {
      const first = saved.findIndex((index) => index >= this.#known);
      if (first < 0) continue;
      await stores.rewind(`call${saved[first]}`);
      saved.length = first;
    }
  }

  /** Sets the stores back to where they were before the first run: the next one repeats nothing. */
  async end(): Promise<void> {
    for (const stores of this.#stores.keys()) await stores.end();
    this.#stores.clear();
    this.#count = 0;
    this.#known = 0;
    this.#isPaused = false;
  }

  #call(name: string, stores: Rewindable | null, make: () => Promise<unknown>): Promise<unknown> {
    if (this.#isPaused) return make();
    const known = this.#takeKnown(name);
    if (known?.made) {
      return 'error' in known.made ? Promise.reject(known.made.error) : Promise.resolve(known.made.result);
    }
    const call: Call = { name, made: null };
    const index = this.#count - 1;
    this.#calls[index] = call;
    const saving = stores === null ? undefined : this.#save(stores, index);
    const making = saving === undefined ? make() : saving.then(make);
    return making.then(
      (result) => {
        call.made = { result };
        return result;
      },
      (error: unknown) => {
        call.made = { error };
        throw error;
      },
    );
  }

  #takeKnown(name: string): Call | null {
    const index = this.#count++;
    if (index >= this.#known) return null;
    const call = this.#calls[index];
    if (call?.name !== name || call.made === null)
      throw new Error(`the run is not deterministic: call ${index} was ${call?.name} and is ${name}`);
    return call;
  }

  #save(stores: Rewindable, index: number): Promise<void> | undefined {
    const saved = this.#stores.get(stores);
    if (saved === undefined) throw new Error('the stores did not begin');
    saved.push(index);
    return stores.save(`call${index}`) ?? undefined;
  }
}
