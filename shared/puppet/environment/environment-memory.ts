import type { RecordedFiles } from './environment.ts';

/** A memoized value with the files that were read to compute it. */
interface MemoizedValue {
  readonly value: unknown;
  readonly seen: RecordedFiles;
}

/** Values of one generation. */
const MOST_VALUES = 25_000;

/**
 * A cache of values that follow from an immutable set of files. All compiles with the same files
 * share one instance.
 *
 * A full generation of values becomes the older one, and the older one is evicted but for the
 * values used since. A compile reads a thousand values; with a list in the order of their use
 * (`BoundedCache`) that took 3% of its CPU time.
 */
export class EnvironmentMemory {
  readonly #most: number;
  #recent = new Map<string, MemoizedValue>();
  #older: ReadonlyMap<string, MemoizedValue> = new Map();

  /** `most`: values of a generation; by default 25,000. */
  constructor(most = MOST_VALUES) {
    this.#most = most;
  }

  get(key: string): MemoizedValue | undefined {
    const recent = this.#recent.get(key);
    if (recent) return recent;
    const older = this.#older.get(key);
    if (older) this.set(key, older);
    return older;
  }

  set(key: string, value: MemoizedValue): void {
    if (this.#recent.size >= this.#most) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }
}
