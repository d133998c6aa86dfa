import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { InputRecorder, RecordedFiles } from './environment.ts';
import { FactRecorder } from './fact-notes.ts';
import { type EntryKind, FileReadRecorder, PRESENT } from './file-notes.ts';
import type { AttributeName } from './file-tree.ts';
import type { KeyReads } from './key-reads.ts';
import { type FirstReads, FirstSites, placeOfSite, type ReadPlace, type ReadSite } from './read-site.ts';
import { RecordingHash } from './recording-hash.ts';

/**
 * The inputs of one compile, as plain data. A read of a fact is written as the digest of the whole
 * value, `keys:` and the digest of its key names, `{}` (it is a hash), `+` (it exists), or `-` (it
 * does not exist).
 */
export interface InputSet {
  /** By path as JSON: `["os","family"]`. The path of the outermost hash is `[]`. */
  readonly facts: Readonly<Record<string, string>>;
  readonly trusted: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /**
   * By path relative to the code directory: sha256 of the content, `+f` or `+d` (it is a file or
   * folder whose content was not read), or null (it was missing). A path with a trailing slash is a
   * listed folder with the digest of its names and their kinds. `<path>//mode` and `<path>//links`
   * are attributes that a static catalog shows.
   */
  readonly files: Readonly<Record<string, string | null>>;
  /**
   * By path of a data file whose content was not read as a whole: the keys that were looked for,
   * with the digest of the value (null: the file does not have the key). `files` has the path as
   * existing.
   */
  readonly dataKeys: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** Queries to the inventory, each with the digest of its answer; absent without a query. */
  readonly queries?: Readonly<Record<string, string>>;
  /**
   * Values kept on the server, by name, with their version; null: there was none. Absent when no
   * code asked for one.
   */
  readonly keptValues?: Readonly<Record<string, string | null>>;
  /** Calls that make the catalog volatile: function, file and line; sorted. */
  readonly volatile: readonly string[];
  /**
   * When comparisons with the present time will change their results: milliseconds since 1970;
   * null: never.
   */
  readonly currentUntil: number | null;
}

/** An InputRecorder that keeps all records in memory. Each compile has its own. */
export class Inputs implements InputRecorder {
  readonly #facts = new FactRecorder();
  readonly #trusted = new FactRecorder();
  readonly #settings = new Map<string, string>();
  readonly #files = new FileReadRecorder();
  readonly #keyReads = new Map<string, KeyReads[]>();
  readonly #queries = new Map<string, string>();
  readonly #keptValues = new Map<string, string | null>();
  /** The number of calls that were not taken back. */
  readonly #volatile = new Map<string, number>();
  #timeLimit: bigint | null = null;
  site: ReadSite | null = null;
  readonly #sites = {
    facts: new FirstSites(),
    trusted: new FirstSites(),
    keys: new FirstSites(),
    files: new FirstSites(),
  };

  recordSetting(name: string, value: string): void {
    this.#settings.set(name, value);
  }

  recordFilePresent(path: string, digest: string): void {
    this.#sites.files.note(path, this.site);
    this.#files.recordFilePresent(path, digest);
  }

  recordKind(path: string, kind: EntryKind): void {
    this.#sites.files.note(path, this.site);
    this.#files.recordKind(path, kind);
  }

  recordFileAbsent(path: string): void {
    this.#sites.files.note(path, this.site);
    this.#files.recordFileAbsent(path);
  }

  recordAttribute(path: string, name: AttributeName, state: string | null): void {
    this.#files.recordAttribute(path, name, state);
  }

  recordDirectory(path: string, entries: () => readonly string[]): void {
    this.#sites.files.note(path, this.site);
    this.#files.recordDirectory(path, entries);
  }

  recordFiles(seen: RecordedFiles): void {
    this.#files.recordFiles(seen, this.site);
  }

  recordKeyReads(path: string, reads: KeyReads): void {
    const known = this.#keyReads.get(path);
    if (known) known.push(reads);
    else this.#keyReads.set(path, [reads]);
  }

  recordLookup(key: string): void {
    this.#sites.keys.note(key, this.site);
  }

  recordVolatile(call: string): void {
    this.#volatile.set(call, (this.#volatile.get(call) ?? 0) + 1);
  }

  retractVolatile(call: string): void {
    const calls = this.#volatile.get(call) ?? 0;
    if (calls > 1) this.#volatile.set(call, calls - 1);
    else this.#volatile.delete(call);
  }

  recordQuery(query: string, digest: string): void {
    this.#queries.set(query, digest);
  }

  recordKeptValue(name: string, version: string | null): void {
    this.#keptValues.set(name, version);
  }

  recordTimeLimit(at: bigint): void {
    if (this.#timeLimit === null || at < this.#timeLimit) this.#timeLimit = at;
  }

  /** Wraps facts (or data in their place) in a hash that records reads here. */
  recordFacts(facts: PuppetHash): RecordingHash {
    return this.#record(facts, this.#facts, this.#sites.facts);
  }

  recordTrusted(trusted: PuppetHash): RecordingHash {
    return this.#record(trusted, this.#trusted, this.#sites.trusted);
  }

  #record(data: PuppetHash, recorder: FactRecorder, sites: FirstSites): RecordingHash {
    return new RecordingHash(data, {
      record: (path, key, seen) => {
        recorder.record(path, key, seen);
        sites.note(nameOfRead(path, key), this.site);
      },
    });
  }

  /** Returns the places of the first reads of the result's inputs, as far as they are known. */
  getFirstReads({ facts, trusted, files, dataKeys }: InputSet): FirstReads {
    const sites = this.#sites;
    const ofFact = (name: string) => nameOfRead(JSON.parse(name), null);
    const keys = new Set(Object.values(dataKeys).flatMap((one) => Object.keys(one)));
    this.#files.noteSites((path, site) => sites.files.note(path, site));
    return {
      facts: placesOf(Object.keys(facts), sites.facts, ofFact),
      trusted: placesOf(Object.keys(trusted), sites.trusted, ofFact),
      keys: placesOf(keys, sites.keys),
      files: placesOf(Object.keys(files), sites.files),
    };
  }

  /** All records so far, without those that a wider or deeper record implies. */
  getResult(): InputSet {
    const files = this.#files.getAll();
    return {
      facts: toSortedRecord(this.#facts.getAll()),
      trusted: toSortedRecord(this.#trusted.getAll()),
      settings: toSortedRecord(this.#settings),
      files: toSortedRecord(files),
      dataKeys: toSortedRecord(this.#collectKeys(files)),
      ...(this.#queries.size === 0 ? {} : { queries: toSortedRecord(this.#queries) }),
      ...(this.#keptValues.size === 0 ? {} : { keptValues: toSortedRecord(this.#keptValues) }),
      volatile: [...this.#volatile.keys()].sort(),
      currentUntil: this.#timeLimit === null ? null : toMilliseconds(this.#timeLimit),
    };
  }

  /** The keys of all data files except those whose content was read as well. */
  #collectKeys(files: RecordedFiles): ReadonlyMap<string, Readonly<Record<string, string | null>>> {
    const all = new Map<string, Readonly<Record<string, string | null>>>();
    for (const [path, reads] of this.#keyReads) {
      if (files.get(path) !== PRESENT.file) continue;
      const keys = new Map(reads.flatMap((one) => [...one.getAll()]));
      if (keys.size > 0) all.set(path, toSortedRecord(keys));
    }
    return all;
  }
}

/** Joins the keys of a path; keys of facts have no such character. */
const BETWEEN = '\u0000';

function nameOfRead(path: readonly string[], key: string | null): string {
  if (key === null) return path.join(BETWEEN);
  return path.length === 0 ? key : `${path.join(BETWEEN)}${BETWEEN}${key}`;
}

function placesOf(
  names: Iterable<string>,
  sites: FirstSites,
  noteOf: (name: string) => string = (name) => name,
): ReadonlyMap<string, ReadPlace> {
  const places = new Map<string, ReadPlace>();
  for (const name of names) {
    const place = placeOfSite(sites.get(noteOf(name)));
    if (place !== null) places.set(name, place);
  }
  return places;
}

/** An InputRecorder that records nothing. */
export const NO_RECORDER: InputRecorder = {
  get site() {
    return null;
  },
  set site(_) {},
  recordLookup: () => undefined,
  recordSetting: () => undefined,
  recordFilePresent: () => undefined,
  recordAttribute: () => undefined,
  recordKind: () => undefined,
  recordFileAbsent: () => undefined,
  recordDirectory: () => undefined,
  recordFiles: () => undefined,
  recordKeyReads: () => undefined,
  recordVolatile: () => undefined,
  retractVolatile: () => undefined,
  recordQuery: () => undefined,
  recordKeptValue: () => undefined,
  recordTimeLimit: () => undefined,
};

/** Wraps facts, or data in their place, like `Inputs.recordFacts`, but records nothing. */
export function withoutRecording(data: PuppetHash): RecordingHash {
  return new RecordingHash(data, { record: () => undefined });
}

/** A compile's observations of files. */
export type FileInputs = Pick<InputSet, 'files' | 'dataKeys'>;

/** The first whole millisecond that is not before `nanoseconds`. */
function toMilliseconds(nanoseconds: bigint): number {
  return Number((nanoseconds + 999_999n) / 1_000_000n);
}

function toSortedRecord<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  const ordered: [string, T][] = [];
  for (const key of [...entries.keys()].sort()) {
    const value = entries.get(key);
    if (value !== undefined) ordered.push([key, value]);
  }
  return Object.fromEntries(ordered);
}
