import { allNodes } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';

/** All nodes are read once in this time at most, and only while somebody asks. */
const KEPT_MS = 3600_000;

/**
 * Number of nodes in each environment, the base of a percentage. All nodes are read for it, beside
 * other work, so the first answer comes later.
 */
export class EnvironmentSizes {
  readonly #stores: Pick<Stores, 'nodes' | 'clock'>;
  readonly #reportFailure: (message: string, cause: unknown) => void;
  #sizes: ReadonlyMap<string, number> | null = null;
  /** When the count that is there, or under way, began. */
  #begunAt = Number.NEGATIVE_INFINITY;

  constructor(stores: Pick<Stores, 'nodes' | 'clock'>, reportFailure: (message: string, cause: unknown) => void) {
    this.#stores = stores;
    this.#reportFailure = reportFailure;
  }

  /** The nodes of an environment, as of the last hour; null while they are first counted. */
  find(environment: string): number | null {
    const now = this.#stores.clock.now();
    if (now - this.#begunAt >= KEPT_MS) {
      this.#begunAt = now;
      this.#count().catch((error: unknown) => {
        this.#begunAt = Number.NEGATIVE_INFINITY;
        this.#reportFailure('The nodes of environments could not be counted', error);
      });
    }
    return this.#sizes === null ? null : (this.#sizes.get(environment) ?? 0);
  }

  async #count(): Promise<void> {
    const sizes = new Map<string, number>();
    for await (const page of allNodes(this.#stores.nodes)) {
      for (const { environment } of page) sizes.set(environment, (sizes.get(environment) ?? 0) + 1);
    }
    this.#sizes = sizes;
  }
}
