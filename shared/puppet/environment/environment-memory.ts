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
  readonly #limit: number;
  readonly #findings = new Map<string, MemoizedValue>();

  /** `limit`: number of findings after which all are forgotten. */
  constructor(limit = 50_000) {
    this.#limit = limit;
  }

  get(key: string): MemoizedValue | undefined {
    return this.#findings.get(key);
  }

  set(key: string, finding: MemoizedValue): void {
    if (this.#findings.size >= this.#limit) this.#findings.clear();
    this.#findings.set(key, finding);
  }
}
