import { sha256 } from '../../util/digest.ts';
import type { FilesSeen } from './environment.ts';

/** What is noted of a path of which only that it exists was seen. */
export const PRESENT = '+';

/** Notes what is seen of files; what one note says more than another stands. */
export class FileNotes {
  readonly #own = new Map<string, string | null>();
  readonly #others = new Set<FilesSeen>();

  filePresent(path: string, digest: string): void {
    this.#own.set(path, digest);
  }

  pathExists(path: string): void {
    if (!this.#own.has(path)) this.#own.set(path, PRESENT);
  }

  fileAbsent(path: string): void {
    this.#own.set(path, null);
  }

  directory(path: string, names: readonly string[]): void {
    this.#own.set(path, listingDigest(names));
  }

  /** Takes notes of others in. They must not change any more. */
  files(seen: FilesSeen): void {
    if (seen.size > 0) this.#others.add(seen);
  }

  /** All notes by path. */
  all(): FilesSeen {
    const all = new Map(this.#own);
    for (const seen of this.#others) {
      for (const [path, state] of seen) if (state !== PRESENT || !all.has(path)) all.set(path, state);
    }
    return all;
  }
}

/** What is noted of a folder with these names, sorted. */
export function listingDigest(names: readonly string[]): string {
  return sha256(JSON.stringify(names));
}
