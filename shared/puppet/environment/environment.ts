import type { LogEntry } from '../errors/compile-log.ts';
import type { Language } from '../levels/language.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { EntryKind } from './file-notes.ts';
import type { AttributeName, FileTree } from './file-tree.ts';
import type { KeyedData, KeyReads } from './key-reads.ts';
import type { ReadSite } from './read-site.ts';

/**
 * A deployed environment as a compile sees it. Records every read as an input: a path that was
 * found, a path that was missing, a folder that was listed. Paths are absolute, as errors show them
 * (`<code dir>/environments/production/manifests/site.pp`). They name files of the snapshot, never
 * files of the host.
 */
export interface Environment {
  readonly name: string;
  /** The snapshot's id; null for a folder that is read live. */
  readonly codeId: string | null;
  /** The environment's folder. */
  readonly root: string;
  /** Absolute paths of the module folders, highest precedence first. */
  readonly modulepath: readonly string[];
  /** The initial manifest: a file or a folder; null for none. */
  readonly manifest: string | null;
  /**
   * Path of hiera.yaml of the global layer; the file need not exist. Null when there is no global
   * layer.
   */
  readonly globalHiera: string | null;
  /** The settings of environment.conf other than modulepath and manifest. */
  readonly configuration: EnvironmentSettings;
  /**
   * Messages that Puppet would log about the environment itself (environment.conf, metadata.json).
   * The list grows as modules are loaded.
   */
  listMessages(language: Language): readonly LogEntry[];
  /**
   * Puppet's setting of that name, which decides about a module whose metadata.json is no JSON. A
   * compile sets it before it looks for modules; `error` until then.
   */
  strict: 'off' | 'warning' | 'error';
  /** Calls `listener` with every message from now on. */
  listen(listener: (message: LogEntry) => void): void;
  /** The bytes of a file; null when it does not exist. */
  read(path: string): Uint8Array | null;
  /** The text of a file (UTF-8, with its leading byte order mark); null when it does not exist. */
  readText(path: string): string | null;
  /**
   * sha256 (hex) of the bytes of a file; null when it does not exist. Recorded as a read. Serves as
   * a cache key for parsed files.
   */
  digest(path: string): string | null;
  /**
   * Reads a data file whose keys are inputs of their own. `read` parses the file, without
   * recording. The file is recorded as existing; the caller records each key that it looks for in
   * the result. Null, with nothing recorded, when the path is no file, `read` returns null, or a
   * `memoize` is running: the caller then reads the whole file.
   */
  readKeyed<T extends KeyedData>(
    path: string,
    read: (tree: FileTree, path: string) => T | null,
  ): { readonly file: T; readonly reads: KeyReads } | null;
  /** The kind of entry at `path`; null when there is none. */
  kindOf(path: string): 'file' | 'directory' | null;
  /** Names in a folder, sorted; null when the folder does not exist. */
  list(path: string): readonly string[] | null;
  /** Whether the entry at `path` is a symbolic link. */
  isLink(path: string): boolean;
  /** An attribute of an existing entry, for static catalogs; null when it is unknown. */
  attribute(path: string, name: AttributeName): string | null;
  /** The first module of that name on the modulepath; null when there is none. */
  findModule(name: string): ModuleInfo | null;
  /** All visible modules, in modulepath order, then by name. */
  listModules(): readonly ModuleInfo[];
  /**
   * Returns the cached result of `find`, or calls it and caches its result. The result must depend
   * only on the key and on files of the environment, and must never change, because it may come
   * from another compile. The files that `find` read are recorded as inputs of this compile too.
   */
  memoize<T>(key: string, find: () => T): T;
}

/**
 * Recorded reads by path: the digest of a file or of a folder's listing, `+f` or `+d` when only the
 * kind of a file or folder was checked, null when it was missing. With an attribute's name behind
 * the path (`a/b//mode`): the state of the attribute.
 */
export type RecordedFiles = ReadonlyMap<string, string | null>;

export interface EnvironmentSettings {
  /** The command, with an absolute path; null for none. */
  readonly configVersion: string | null;
  /** Seconds; null when not set, Infinity for `unlimited`. */
  readonly environmentTimeout: number | null;
  readonly staticCatalogs: boolean | null;
  readonly richData: boolean | null;
  /** The deprecated `environment_data_provider`. */
  readonly dataProvider: string | null;
}

export interface ModuleInfo {
  readonly name: string;
  /** The module's folder. */
  readonly root: string;
  /** metadata.json as parsed, or null. */
  readonly metadata: ModuleMetadata | null;
}

export interface ModuleMetadata {
  readonly name: string;
  readonly version: string;
  /**
   * Module names (without author) that metadata.json lists as dependencies. Null when it lists
   * none: all modules are then visible.
   */
  readonly dependencies: readonly string[] | null;
  /** The deprecated `data_provider`. */
  readonly dataProvider: string | null;
}

/**
 * Records the inputs of a compile, except facts and trusted facts, whose hashes record themselves.
 * `Inputs` in `inputs.ts` implements it; a compile that records nothing uses `NO_RECORDER`.
 */
export interface InputRecorder {
  /** The code that makes the next read: set by the evaluator before a read may follow. */
  site: ReadSite | null;
  /** Records which code looks a key of data up. */
  recordLookup(key: string): void;
  /** Records that a setting of the compiler or of the environment (`$settings::x`) was read. */
  recordSetting(name: string, value: string): void;
  /**
   * Records that a file was read. Paths are relative to the code directory
   * (`environments/production/hiera.yaml`), or absolute outside of it.
   */
  recordFilePresent(path: string, digest: string): void;
  /** Records that a file or folder was found at `path`, but not its content. */
  recordKind(path: string, kind: EntryKind): void;
  recordFileAbsent(path: string): void;
  /** Records that an attribute of an entry was read. */
  recordAttribute(path: string, name: AttributeName, state: string | null): void;
  /**
   * Records that a folder was listed. `entries` returns the sorted names, those of folders with a
   * trailing slash.
   */
  recordDirectory(path: string, entries: () => readonly string[]): void;
  /** Records the keys that are, or will be, looked for in a data file. */
  recordKeyReads(path: string, reads: KeyReads): void;
  /** Records all of these reads, whenever they took place. */
  recordFiles(seen: RecordedFiles): void;
  /**
   * Records a call whose result is not determined by inputs: the function's name, with file and
   * line where they are known.
   */
  recordVolatile(call: string): void;
  /** Takes back one `recordVolatile` of that call: its result has no influence of its own. */
  retractVolatile(call: string): void;
  /** Records the digest of the inventory's answer to a query. */
  recordQuery(query: string, digest: string): void;
  /** Records the version of a value kept on the server; null when there was none. */
  recordKeptValue(name: string, version: string | null): void;
  /** Records that results depend on the time, but not before `at` (nanoseconds since 1970). */
  recordTimeLimit(at: bigint): void;
}

/**
 * Observation of a fact by a read. `whole`: the complete value. `kind`: only that it is a hash;
 * reads of its entries are recorded under their own paths. `keys`: the names of the hash's keys.
 * `present`: only that a value exists. `absent`: that no value exists.
 */
export type RecordedFact =
  | { readonly how: 'whole'; readonly value: Value }
  | { readonly how: 'keys'; readonly hash: PuppetHash }
  | { readonly how: 'kind' }
  | { readonly how: 'present' }
  | { readonly how: 'absent' };
