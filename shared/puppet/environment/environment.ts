import type { LogEntry } from '../errors/compile-log.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/**
 * What a compile sees of a deployed environment. Every read is recorded as an input: a path that
 * was found, a path that was looked for in vain, a folder that was listed. Paths are absolute as
 * errors show them (`<code dir>/environments/production/manifests/site.pp`); they name files of the
 * snapshot, never of the host.
 */
export interface Environment {
  readonly name: string;
  /** The snapshot's id; null for a folder read as it is. */
  readonly codeId: string | null;
  /** The environment's folder. */
  readonly root: string;
  /** Absolute folders in the order of precedence. */
  readonly modulepath: readonly string[];
  /** The initial manifest: a file or a folder; null for none. */
  readonly manifest: string | null;
  /** Path of the global layer's hiera.yaml, which need not exist; null for none. */
  readonly globalHiera: string | null;
  /** What environment.conf says beyond modulepath and manifest. */
  readonly configuration: EnvironmentSettings;
  /**
   * What Puppet would log about the environment itself (environment.conf, metadata.json); grows as
   * modules are looked at.
   */
  readonly messages: readonly LogEntry[];
  /** Has `listener` told of every message that comes from now on. */
  listen(listener: (message: LogEntry) => void): void;
  /** The bytes, or null when there is no such file. */
  read(path: string): Uint8Array | null;
  /** The text (UTF-8, a leading byte order mark kept), or null when there is no such file. */
  readText(path: string): string | null;
  /**
   * sha256 (hex) of the bytes, or null when there is no such file. Recorded as a read; a key for
   * caches of parsed files.
   */
  digest(path: string): string | null;
  /** Whether there is a file or folder at `path`. */
  kindOf(path: string): 'file' | 'directory' | null;
  /** Names in a folder, sorted; null when there is no such folder. */
  list(path: string): readonly string[] | null;
  /** The module of that name that the modulepath shows, or null. */
  findModule(name: string): ModuleInfo | null;
  /** All visible modules, in modulepath order, then by name. */
  listModules(): readonly ModuleInfo[];
  /**
   * What `find` gives, which must follow from the key and from files of the environment alone and
   * never change: it may be what another compile found. What was seen of files to find it is
   * recorded by this compile as well.
   */
  memoize<T>(key: string, find: () => T): T;
}

/**
 * What was seen of files, by path: the digest of a file or listed folder, `+` (only that it
 * exists), null (looked for in vain).
 */
export type RecordedFiles = ReadonlyMap<string, string | null>;

export interface EnvironmentSettings {
  /** The command, made absolute; null for none. */
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
   * Module names (without author) that metadata.json lists; null when it lists none, which makes
   * all visible.
   */
  readonly dependencies: readonly string[] | null;
  /** The deprecated `data_provider`. */
  readonly dataProvider: string | null;
}

/**
 * Notes what a compile reads, other than of facts and trusted facts: their hashes do that
 * themselves. Implemented by the recorder of `inputs.ts`; a compile without one uses `NO_RECORDER`.
 */
export interface InputRecorder {
  /** A setting of the compiler or of the environment (`$settings::x`) was read. */
  recordSetting(name: string, value: string): void;
  /**
   * Paths are relative to the code directory (`environments/production/hiera.yaml`), or absolute
   * outside of it.
   */
  recordFilePresent(path: string, digest: string): void;
  /** That there is a file or folder at `path` was seen, not what is in it. */
  recordPathExists(path: string): void;
  recordFileAbsent(path: string): void;
  /** A folder was listed: it holds these names, sorted. */
  recordDirectory(path: string, names: readonly string[]): void;
  /** All of this was seen, at whatever time. */
  recordFiles(seen: RecordedFiles): void;
  /** A function whose result is not determined by inputs was called. */
  recordVolatile(functionName: string): void;
}

/**
 * `whole`: the value as it is now; `kind`: only that it is a hash was seen, what is in it is
 * recorded by its own path; `keys`: the names of the hash's keys as they are now; `present`: only
 * that there is a value; `absent`.
 */
export type RecordedFact =
  | { readonly how: 'whole'; readonly value: Value }
  | { readonly how: 'keys'; readonly hash: PuppetHash }
  | { readonly how: 'kind' }
  | { readonly how: 'present' }
  | { readonly how: 'absent' };
