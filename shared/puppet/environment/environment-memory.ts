import { BoundedCache } from '../../util/bounded-cache.ts';
import type { RecordedFiles } from './environment.ts';

/** Something that follows from files, and what was seen of them to find it. */
export interface MemoizedValue {
  readonly value: unknown;
  readonly seen: RecordedFiles;
}

/**
 * What compiles found out about files that never change, for those that come after. One for each
 * such set of files.
 */
export class EnvironmentMemory {
  readonly #findings: BoundedCache<MemoizedValue>;

  /** `limit`: number of findings; the least recently used are evicted. */
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
