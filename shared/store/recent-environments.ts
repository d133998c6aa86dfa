import { BoundedCache } from '../util/bounded-cache.ts';
import type { Clock } from './ports/clock.ts';
import type { EnvironmentRecord, EnvironmentStore } from './ports/environment-store.ts';

const MOST_ENVIRONMENTS = 1000;

interface RecentRecord {
  readonly record: Promise<EnvironmentRecord | null>;
  readonly until: number;
}

/**
 * Environment records, read at most once in `freshMs` each: every request names an environment. A
 * change through this object counts at once; one by another process after `freshMs`. A failed read
 * is not kept.
 */
export class RecentEnvironments implements EnvironmentStore {
  readonly #stored: EnvironmentStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #freshMs: number;
  readonly #recent = new BoundedCache<RecentRecord>(MOST_ENVIRONMENTS);

  constructor(stored: EnvironmentStore, clock: Pick<Clock, 'now'>, freshMs: number) {
    this.#stored = stored;
    this.#clock = clock;
    this.#freshMs = freshMs;
  }

  get(name: string): Promise<EnvironmentRecord | null> {
    const now = this.#clock.now();
    const known = this.#recent.get(name);
    if (known && now < known.until) return known.record;
    const read = { record: this.#stored.get(name), until: now + this.#freshMs };
    this.#recent.set(name, read);
    read.record.catch(() => {
      if (this.#recent.get(name) === read) this.#recent.delete(name);
    });
    return read.record;
  }

  list(): Promise<readonly EnvironmentRecord[]> {
    return this.#stored.list();
  }

  async replace(record: EnvironmentRecord, expected: number | null): Promise<boolean> {
    return this.#forget(record.name, () => this.#stored.replace(record, expected));
  }

  async settle(name: string, revision: number): Promise<void> {
    await this.#forget(name, () => this.#stored.settle(name, revision));
  }

  async delete(name: string): Promise<void> {
    await this.#forget(name, () => this.#stored.delete(name));
  }

  /** Forgets the record after the change, also when that failed: it may have been made. */
  async #forget<T>(name: string, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } finally {
      this.#recent.delete(name);
    }
  }
}
