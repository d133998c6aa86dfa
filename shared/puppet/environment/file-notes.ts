import { digestSha256 } from '../../util/digest.ts';
import type { RecordedFiles } from './environment.ts';
import { ATTRIBUTE_MARK, type AttributeName } from './file-tree.ts';
import type { ReadSite } from './read-site.ts';

/** The kind of an entry of the environment. */
export type EntryKind = 'file' | 'directory';

/** The records of paths whose kind alone was checked. */
export const PRESENT: Readonly<Record<EntryKind, string>> = { file: '+f', directory: '+d' };

/** Whether a record is of the kind alone. */
export function isKindRecord(state: string | null | undefined): boolean {
  return state === PRESENT.file || state === PRESENT.directory;
}

/** Records reads of files. The more specific record wins. */
export class FileReadRecorder {
  readonly #own = new Map<string, string | null>();
  /** Each with the code that asked for it first. */
  readonly #others = new Map<RecordedFiles, ReadSite | null>();

  recordFilePresent(path: string, digest: string): void {
    this.#own.set(path, digest);
  }

  recordKind(path: string, kind: EntryKind): void {
    if (!this.#own.has(path)) this.#own.set(path, PRESENT[kind]);
  }

  recordFileAbsent(path: string): void {
    this.#own.set(path, null);
  }

  recordAttribute(path: string, name: AttributeName, state: string | null): void {
    this.#own.set(`${path}${ATTRIBUTE_MARK}${name}`, state);
  }

  recordDirectory(path: string, entries: () => readonly string[]): void {
    if (!this.#own.has(path)) this.#own.set(path, digestListing(entries()));
  }

  /** Adds the records of another recorder. Those must not change any more. */
  recordFiles(seen: RecordedFiles, site: ReadSite | null = null): void {
    if (seen.size > 0 && !this.#others.has(seen)) this.#others.set(seen, site);
  }

  /** Calls `note` with the paths of the records of others, and who asked for these first. */
  noteSites(note: (path: string, site: ReadSite) => void): void {
    for (const [seen, site] of this.#others) {
      if (site !== null) for (const path of seen.keys()) note(path, site);
    }
  }

  /** All records by path. */
  getAll(): RecordedFiles {
    const all = new Map(this.#own);
    for (const seen of this.#others.keys()) {
      for (const [path, state] of seen) if (!isKindRecord(state) || !all.has(path)) all.set(path, state);
    }
    return all;
  }
}

/** The digest of a folder listing: sorted names, those of folders with a trailing slash. */
export function digestListing(entries: readonly string[]): string {
  return digestSha256(JSON.stringify(entries));
}
