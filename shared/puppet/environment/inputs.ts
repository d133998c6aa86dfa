import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { InputRecorder, RecordedFiles } from './environment.ts';
import { FactRecorder } from './fact-notes.ts';
import { FileReadRecorder } from './file-notes.ts';
import { RecordingHash } from './recording-hash.ts';

/**
 * What one compile read, as plain data. How a value was seen is written as: its digest (the whole
 * value), `keys:` and a digest (the names of its keys), `{}` (only that it is a hash), `+` (only
 * that it is there), `-` (that there is none).
 */
export interface InputSet {
  /** By path as JSON: `["os","family"]`. The outermost hash itself is `[]`. */
  readonly facts: Readonly<Record<string, string>>;
  readonly trusted: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /**
   * By path relative to the code directory: sha256 of the content, `+` (only its existence was
   * seen), null (looked for in vain). A path with a slash behind it is a folder that was listed,
   * with the digest of its names.
   */
  readonly files: Readonly<Record<string, string | null>>;
  /** Names of functions that make the catalog volatile, sorted. */
  readonly volatile: readonly string[];
}

/** An InputRecorder that keeps what it is told. One for each compile. */
export class Inputs implements InputRecorder {
  readonly #facts = new FactRecorder();
  readonly #trusted = new FactRecorder();
  readonly #settings = new Map<string, string>();
  readonly #files = new FileReadRecorder();
  readonly #volatile = new Set<string>();

  recordSetting(name: string, value: string): void {
    this.#settings.set(name, value);
  }

  recordFilePresent(path: string, digest: string): void {
    this.#files.recordFilePresent(path, digest);
  }

  recordPathExists(path: string): void {
    this.#files.recordPathExists(path);
  }

  recordFileAbsent(path: string): void {
    this.#files.recordFileAbsent(path);
  }

  recordDirectory(path: string, names: readonly string[]): void {
    this.#files.recordDirectory(path, names);
  }

  recordFiles(seen: RecordedFiles): void {
    this.#files.recordFiles(seen);
  }

  recordVolatile(functionName: string): void {
    this.#volatile.add(functionName);
  }

  /** Facts (or what stands for them) whose reading is noted here. */
  recordFacts(facts: PuppetHash): RecordingHash {
    return new RecordingHash(facts, this.#facts);
  }

  recordTrusted(trusted: PuppetHash): RecordingHash {
    return new RecordingHash(trusted, this.#trusted);
  }

  /** What was noted so far. What a wider or deeper note says already is left out. */
  getResult(): InputSet {
    return {
      facts: toSortedRecord(this.#facts.getAll()),
      trusted: toSortedRecord(this.#trusted.getAll()),
      settings: toSortedRecord(this.#settings),
      files: toSortedRecord(this.#files.getAll()),
      volatile: [...this.#volatile].sort(),
    };
  }
}

/** Notes nothing. */
export const NO_RECORDER: InputRecorder = {
  recordSetting: () => undefined,
  recordFilePresent: () => undefined,
  recordPathExists: () => undefined,
  recordFileAbsent: () => undefined,
  recordDirectory: () => undefined,
  recordFiles: () => undefined,
  recordVolatile: () => undefined,
};

/** Facts, or what stands for them, as `Inputs` gives them out, of which nothing is noted. */
export function withoutRecording(data: PuppetHash): RecordingHash {
  return new RecordingHash(data, { record: () => undefined });
}

/** The id of a set of files: equal sets of different nodes have the same. */
export function dependencySetId(files: InputSet['files']): string {
  return digestSha256(isInOrder(Object.keys(files)) ? JSON.stringify(files) : canonicalJson(files));
}

/** Whether the names stand as `canonicalJson` puts them; its text is then that of plain JSON. */
function isInOrder(names: readonly string[]): boolean {
  return names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name);
}

function toSortedRecord<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  const ordered: [string, T][] = [];
  for (const key of [...entries.keys()].sort()) {
    const value = entries.get(key);
    if (value !== undefined) ordered.push([key, value]);
  }
  return Object.fromEntries(ordered);
}
