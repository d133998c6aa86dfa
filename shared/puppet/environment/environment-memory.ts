import { BoundedCache } from '../../util/bounded-cache.ts';
import type { RecordedFiles } from './environment.ts';

/** A memoized value with the files that were read to compute it. */
interface MemoizedValue {
  readonly value: unknown;
  readonly seen: RecordedFiles;
}

/**
 * A cache of values that follow from an immutable set of files. All compiles with the same files
 * share one instance.
 */
export class EnvironmentMemory {
  readonly #findings: BoundedCache<MemoizedValue>;

  /** `limit`: maximum number of entries; beyond it the least recently used are evicted. */
  constructor(limit = 50_000) {
    this.#findings = new BoundedCache(limit);
  }

  get(key: string): MemoizedValue | undefined {
    return this.#findings.get(key);
  }

  set(key: string, finding: MemoizedValue): void {
    this.#findings.set(key, finding);
  }
}
