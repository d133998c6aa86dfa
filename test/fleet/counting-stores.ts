import type { Stores } from '../../shared/store/ports/stores.ts';

/** The ports that are counted: all that lie across a network in AWS. */
const COUNTED = new Set<string>(['nodes', 'exports', 'blobs', 'environments', 'documents', 'queue', 'groups']);

/**
 * Wraps stores so that each call of a port is counted as `<port>.<method>`. A call of a port is
 * mostly one request; batches count once for each call.
 */
export class CountingStores<T extends Stores> {
  readonly stores: T;
  readonly #counts = new Map<string, number>();

  constructor(stores: T) {
    this.stores = new Proxy(stores, {
      get: (target, name) => {
        const port: unknown = Reflect.get(target, name);
        const isCounted = COUNTED.has(String(name)) || /[Ff]anOut|[Dd]ependencies/.test(String(name));
        return isCounted && typeof port === 'object' && port !== null ? this.#count(port, String(name)) : port;
      },
    });
  }

  /** The counts so far, by `<port>.<method>`, sorted by name. */
  getCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The sum of the counts whose name matches. */
  sum(pattern: RegExp = /./): number {
    return [...this.#counts].reduce((sum, [name, count]) => (pattern.test(name) ? sum + count : sum), 0);
  }

  reset(): void {
    this.#counts.clear();
  }

  #count(port: object, name: string): object {
    return new Proxy(port, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]) => {
          const call = `${name}.${String(key)}`;
          this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
          return method.apply(target, args);
        };
      },
    });
  }
}
