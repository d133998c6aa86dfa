import { digestSha256 } from '../../util/digest.ts';
import type { RecordedFiles } from './environment.ts';

/** The record of a path whose existence alone was checked. */
export const PRESENT = '+';

/** Records reads of files. The more specific record wins. */
export class FileReadRecorder {
  readonly #own = new Map<string, string | null>();
  readonly #others = new Set<RecordedFiles>();

  recordFilePresent(path: string, digest: string): void {
    this.#own.set(path, digest);
  }

  recordPathExists(path: string): void {
    if (!this.#own.has(path)) this.#own.set(path, PRESENT);
  }

  recordFileAbsent(path: string): void {
    this.#own.set(path, null);
  }

  recordDirectory(path: string, names: readonly string[]): void {
    this.#own.set(path, digestListing(names));
  }

  /** Adds the records of another recorder. Those must not change any more. */
  recordFiles(seen: RecordedFiles): void {
    if (seen.size > 0) this.#others.add(seen);
  }

  /** All records by path. */
  getAll(): RecordedFiles {
    const all = new Map(this.#own);
    for (const seen of this.#others) {
      for (const [path, state] of seen) if (state !== PRESENT || !all.has(path)) all.set(path, state);
    }
    return all;
  }
}

/** The digest of a folder listing; `names` must be sorted. */
export function digestListing(names: readonly string[]): string {
  return digestSha256(JSON.stringify(names));
}
