import { posix } from 'node:path';
import type { LogEntry } from '../errors/compile-log.ts';
import type { Language } from '../levels/language.ts';
import type { Environment, EnvironmentSettings, InputRecorder, ModuleInfo, ModuleMetadata } from './environment.ts';
import { type EnvironmentConf, parseEnvironmentConf } from './environment-conf.ts';
import type { EnvironmentMemory } from './environment-memory.ts';
import type { EnvironmentPlace } from './environment-place.ts';
import { type EntryKind, FileReadRecorder } from './file-notes.ts';
import { type AttributeName, type FileTree, listEntries } from './file-tree.ts';
import { globPaths } from './glob.ts';
import { type KeyedData, KeyReads } from './key-reads.ts';
import { MetadataError, parseModuleMetadata, UnparsableMetadata } from './module-metadata.ts';
import { readUtf8 } from './utf8-text.ts';

type FileRecorder = Pick<InputRecorder, keyof FileReadRecorder & keyof InputRecorder>;

export interface TreeEnvironmentOptions extends EnvironmentPlace {
  readonly tree: FileTree;
  /** Cache shared by all compiles with this tree; without it nothing is memoized. */
  readonly memory?: EnvironmentMemory;
  readonly inputs: InputRecorder;
  readonly codeId?: string | null;
  readonly globalHiera?: string | null;
  /** Overrides the modulepath of environment.conf. */
  readonly modulepath?: readonly string[];
  readonly manifest?: string | null;
}

/** A module, or what is wrong with it. */
interface FoundModule {
  readonly module: ModuleInfo | null;
  readonly fault: string | null;
  /** The module where strict is lenient: a metadata.json that is no JSON counts as empty. */
  readonly tolerated: ModuleInfo | null;
}

const NO_MODULE: FoundModule = { module: null, fault: null, tolerated: null };
const LEVELS = { off: 'debug', warning: 'warning', error: 'err' } as const;
const MODULE_NAME = /^[a-z][a-z0-9_]*$/;

/**
 * An environment over a tree of files, shared by all adapters. It records reads, so each compile
 * creates its own. Throws PuppetError when environment.conf cannot be read.
 */
export class TreeEnvironment implements Environment {
  readonly name: string;
  readonly codeId: string | null;
  readonly root: string;
  readonly modulepath: readonly string[];
  /** The modulepath with folders that do not exist. */
  readonly fullModulepath: readonly string[];
  readonly manifest: string | null;
  readonly globalHiera: string | null;
  readonly configuration: EnvironmentSettings;
  strict: Environment['strict'] = 'error';
  readonly #tree: FileTree;
  readonly #memory: EnvironmentMemory | null;
  readonly #recorder: InputRecorder;
  /** The recorder of the compile, or that of the running `memoize`. */
  #inputs: FileRecorder;
  /** The code directory with a trailing slash. */
  readonly #codePrefix: string;
  readonly #listConfMessages: EnvironmentConf['listMessages'];
  readonly #messages: LogEntry[] = [];
  readonly #listeners: ((message: LogEntry) => void)[] = [];
  readonly #modules = new Map<string, ModuleInfo | null>();
  #allModules: readonly ModuleInfo[] | undefined;

  constructor(options: TreeEnvironmentOptions) {
    this.#tree = options.tree;
    this.#memory = options.memory ?? null;
    this.#recorder = options.inputs;
    this.#inputs = options.inputs;
    this.#codePrefix = `${options.codeDirectory}/`;
    this.name = options.name;
    this.codeId = options.codeId ?? null;
    this.root = options.root;
    this.globalHiera = options.globalHiera ?? null;
    const conf = this.#readConf(options);
    this.configuration = conf.settings;
    this.#listConfMessages = conf.listMessages;
    this.fullModulepath = options.modulepath ?? this.#expandGlobs(conf.modulepath);
    this.modulepath = this.fullModulepath.filter((path) => this.kindOf(path) === 'directory');
    this.manifest = options.manifest === undefined ? conf.manifest : options.manifest;
  }

  #readConf(place: EnvironmentPlace): EnvironmentConf {
    const file = posix.join(place.root, 'environment.conf');
    const key = ['environment.conf', file, place.codeDirectory, ...place.baseModulepath].join(':');
    return this.memoize(key, () => parseEnvironmentConf(readUtf8(this, file), file, place));
  }

  listMessages(language: Language): readonly LogEntry[] {
    return [...this.#listConfMessages(language), ...this.#messages];
  }

  listen(listener: (message: LogEntry) => void): void {
    this.#listeners.push(listener);
  }

  read(path: string): Uint8Array | null {
    return this.digest(path) === null ? null : this.#tree.read(normalizePath(path));
  }

  readText(path: string): string | null {
    return this.memoize(`text ${path}`, () =>
      this.digest(path) === null ? null : this.#tree.readText(normalizePath(path)),
    );
  }

  digest(path: string): string | null {
    const normal = normalizePath(path);
    const digest = this.#tree.digest(normal);
    if (digest === null) this.#recordKind(normal, this.#tree.kindOf(normal));
    else this.#inputs.recordFilePresent(this.#toRecordedPath(normal), digest);
    return digest;
  }

  readKeyed<T extends KeyedData>(
    path: string,
    read: (tree: FileTree, path: string) => T | null,
  ): { readonly file: T; readonly reads: KeyReads } | null {
    const normal = normalizePath(path);
    if (this.#isFinding || this.#tree.kindOf(normal) !== 'file') return null;
    const file = read(this.#tree, normal);
    if (!file) return null;
    const reads = new KeyReads(file);
    this.#recorder.recordKind(this.#toRecordedPath(normal), 'file');
    this.#recorder.recordKeyReads(this.#toRecordedPath(normal), reads);
    return { file, reads };
  }

  kindOf(path: string): 'file' | 'directory' | null {
    const normal = withoutSlash(normalizePath(path));
    const kind = this.#tree.kindOf(normal);
    this.#recordKind(normal, kind);
    return kind;
  }

  #recordKind(normal: string, kind: EntryKind | null): void {
    if (kind === null) this.#inputs.recordFileAbsent(this.#toRecordedPath(normal));
    else this.#inputs.recordKind(this.#toRecordedPath(normal), kind);
  }

  list(path: string): readonly string[] | null {
    const normal = withoutSlash(normalizePath(path));
    const names = this.#tree.list(normal);
    if (names === null) this.#recordKind(normal, this.#tree.kindOf(normal));
    else this.#inputs.recordDirectory(`${this.#toRecordedPath(normal)}/`, () => listEntries(this.#tree, normal) ?? []);
    return names;
  }

  isLink(path: string): boolean {
    this.attribute(path, 'links');
    return this.#tree.isLink(withoutSlash(normalizePath(path)));
  }

  attribute(path: string, name: AttributeName): string | null {
    const normal = withoutSlash(normalizePath(path));
    const state = this.#tree.attribute(normal, name);
    this.#inputs.recordAttribute(this.#toRecordedPath(normal), name, state);
    return state;
  }

  findModule(name: string): ModuleInfo | null {
    const isKnown = this.#modules.has(name);
    if (isKnown && !this.#isFinding) return this.#modules.get(name) ?? null;
    const { module: found, fault, tolerated } = this.memoize(`module ${name}`, () => this.#findModule(name));
    const isTolerated = this.strict !== 'error' && tolerated !== null;
    const module = isTolerated ? tolerated : found;
    if (isKnown) return module;
    this.#modules.set(name, module);
    if (fault !== null) this.#reportMessage({ level: isTolerated ? LEVELS[this.strict] : 'err', message: fault });
    return module;
  }

  listModules(): readonly ModuleInfo[] {
    if (this.#allModules && !this.#isFinding) return this.#allModules;
    const places = this.memoize('modules', () => this.#listModules());
    this.#allModules ??= [...places].map(([name, root]) => this.#lazyModule(name, root));
    return this.#allModules;
  }

  memoize<T>(key: string, find: () => T): T {
    if (!this.#memory) return find();
    const known = this.#memory.get(key);
    if (!known) return this.#find(key, find, this.#memory);
    this.#inputs.recordFiles(known.seen);
    return known.value as T;
  }

  /**
   * Whether a `memoize` is running. Then the compile's own caches are bypassed, because every read
   * must be recorded with the memoized value.
   */
  get #isFinding(): boolean {
    return this.#inputs instanceof FileReadRecorder;
  }

  #find<T>(key: string, find: () => T, memory: EnvironmentMemory): T {
    const outer = this.#inputs;
    const notes = new FileReadRecorder();
    this.#inputs = notes;
    try {
      const value = find();
      memory.set(key, { value, seen: notes.getAll() });
      return value;
    } finally {
      this.#inputs = outer;
      outer.recordFiles(notes.getAll());
    }
  }

  #findModule(name: string): FoundModule {
    if (!MODULE_NAME.test(name)) return NO_MODULE;
    for (const folder of this.modulepath) {
      const root = posix.join(folder, name);
      if (this.kindOf(root) === 'directory') return this.#loadModule(name, root);
    }
    return NO_MODULE;
  }

  // Differs from Puppet: the metadata of merely listed modules is not read, so that a catalog does
  // not depend on modules that it does not use. A module with faulty metadata is left out only when
  // it is asked for by name.
  #listModules(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const folder of this.modulepath) {
      for (const name of this.list(folder) ?? []) {
        const root = posix.join(folder, name);
        if (found.has(name) || !MODULE_NAME.test(name) || this.#tree.kindOf(root) !== 'directory') continue;
        found.set(name, root);
      }
    }
    return found;
  }

  #lazyModule(name: string, root: string): ModuleInfo {
    const readModule = () => this.findModule(name);
    return {
      name,
      root,
      get metadata() {
        return readModule()?.metadata ?? null;
      },
    };
  }

  // Puppet: a module with incomplete metadata is logged and left out,
  // lib/puppet/node/environment.rb (modules); lib/puppet/module.rb (read_metadata) has `strict`.
  #loadModule(name: string, root: string): FoundModule {
    try {
      return { module: { name, root, metadata: this.#readMetadata(name, root) }, fault: null, tolerated: null };
    } catch (error) {
      if (!(error instanceof MetadataError)) throw error;
      const tolerated = error instanceof UnparsableMetadata ? { name, root, metadata: null } : null;
      return { module: null, fault: error.message, tolerated };
    }
  }

  #reportMessage(message: LogEntry): void {
    this.#messages.push(message);
    for (const listener of this.#listeners) listener(message);
  }

  #readMetadata(name: string, root: string): ModuleMetadata | null {
    const text = this.readText(`${root}/metadata.json`);
    if (text === null) return null;
    try {
      return parseModuleMetadata(text, name);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new UnparsableMetadata(
        `${name} has an invalid and unparsable metadata.json file. The parse error: ${error.message}`,
      );
    }
  }

  #expandGlobs(paths: readonly string[]): readonly string[] {
    return paths.flatMap((path) => (/[*?[{]/.test(path) ? globPaths(path, this) : [path]));
  }

  #toRecordedPath(path: string): string {
    return path.startsWith(this.#codePrefix) ? path.slice(this.#codePrefix.length) : path;
  }
}

/** Matches a path that `normalize` would change. */
const NOT_NORMAL = /\/(?:\/|\.{1,2}(?:\/|$))|^\./;

function normalizePath(path: string): string {
  return path === '' || NOT_NORMAL.test(path) ? posix.normalize(path) : path;
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
