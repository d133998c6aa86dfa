import type { BlobStream } from '../../shared/store/ports/blob-store.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { SeededChance } from '../fuzz/seeded-chance.ts';

/**
 * How a call fails: before it was done, after it was done (the answer is lost), or after a delay
 * without being done.
 */
type Fault = 'before' | 'after' | 'late';

type StoreObserver = (call: string, when: 'before' | 'after' | 'failing') => void;

export interface FaultyStoresOptions {
  /** The ways to fail, each as probable as the others; all by default. */
  readonly faults?: readonly Fault[];
  /** Called before and after each call of a store (`nodes.commit`); not after one that fails. */
  readonly observe?: StoreObserver;
}

const FAULTS: readonly Fault[] = ['before', 'after', 'late'];
const LATE_MS = 5;

/**
 * Wraps stores so that calls fail at random, like a store that times out, throttles, or is
 * unavailable for a while.
 */
export class FaultyStores {
  /** The share of calls that fail: 0 for none, 1 for an outage. */
  rate = 0;
  /** The number of failed calls. */
  failed = 0;
  readonly stores: Stores;
  readonly #chance: SeededChance;
  readonly #faults: readonly Fault[];
  readonly #observe: StoreObserver;

  constructor(stores: Stores, seed: number, { faults = FAULTS, observe = () => undefined }: FaultyStoresOptions = {}) {
    this.#chance = new SeededChance(seed);
    this.#faults = faults;
    this.#observe = observe;
    const { nodes, dependencies, exports, blobs, environments, documents, queue, fanOut, groups, jobs, seal, clock } =
      stores;
    this.stores = {
      nodes: this.wrap(nodes, 'nodes'),
      dependencies: this.wrap(dependencies, 'dependencies'),
      exports: this.wrap(exports, 'exports'),
      blobs: this.wrap(blobs, 'blobs'),
      environments: this.wrap(environments, 'environments'),
      documents: this.wrap(documents, 'documents'),
      queue: this.wrap(queue, 'queue'),
      fanOut: this.wrap(fanOut, 'fanOut'),
      groups: this.wrap(groups, 'groups'),
      jobs: this.wrap(jobs, 'jobs'),
      seal,
      clock,
    };
  }

  /** Wraps one more store; calls of it are named `name.method`. */
  wrap<T extends object>(store: T, name: string): T {
    return new Proxy(store, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]) => this.#call(`${name}.${String(key)}`, () => method.apply(target, args));
      },
    });
  }

  async #call(what: string, work: () => Promise<unknown>): Promise<unknown> {
    this.#observe(what, 'before');
    if (!this.#chance.often(this.rate)) {
      const result = await work();
      this.#observe(what, 'after');
      return this.#cutShort(what, result);
    }
    this.failed += 1;
    this.#observe(what, 'failing');
    const fault = this.#chance.of(this.#faults);
    if (fault === 'after') await letGo(await work());
    if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    throw new StoreUnavailable(`${what} failed (${fault})`);
  }

  /** A stream may also fail in the middle. */
  #cutShort(what: string, result: unknown): unknown {
    if (!isStream(result) || !this.#chance.often(this.rate)) return result;
    this.failed += 1;
    const reader = result.body.getReader();
    let reads = 0;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      const { done, value } = await reader.read();
      reads += 1;
      if (done) controller.close();
      else if (reads === 1) controller.enqueue(value);
      else {
        await reader.cancel();
        controller.error(new StoreUnavailable(`${what} broke off`));
      }
    };
    const cancel = (reason: unknown) => reader.cancel(reason);
    return { ...result, body: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) };
  }
}

function isStream(value: unknown): value is BlobStream {
  return typeof value === 'object' && value !== null && 'body' in value && value.body instanceof ReadableStream;
}

async function letGo(result: unknown): Promise<void> {
  if (isStream(result)) await result.body.cancel();
}
