import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Environment } from '../../puppet/environment/environment.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot, USUAL_FOLDER_MODE } from '../../puppet/environment/snapshot.ts';
import type { Language } from '../../puppet/levels/language.ts';
import { fileNameMatches } from '../../puppet/ruby-core/file-name-match.ts';
import { type Digest, digestOf, isChecksumType } from '../facts/checksum-types.ts';

/**
 * Metadata of module files that a catalog's `File` resources use, in the form of a static catalog.
 */
interface InlinedMetadata {
  /** By title. */
  readonly metadata: Readonly<Record<string, Metadata>>;
  /** By title and source. */
  readonly recursive_metadata: Readonly<Record<string, Readonly<Record<string, readonly Metadata[]>>>>;
}

/** The wire form of lib/puppet/file_serving/metadata.rb, its keys in that order. */
interface Metadata {
  readonly path: string;
  readonly relative_path: string | null;
  readonly links: string;
  readonly owner: number;
  readonly group: number;
  readonly mode: number;
  readonly checksum: { readonly type: string; readonly value: string };
  readonly type: 'file' | 'directory';
  readonly destination: null;
  readonly content_uri: string;
  readonly source?: string;
}

/** Reads go through `environment`, which records them as inputs. */
interface InlineSource {
  readonly environment: Environment;
  readonly snapshot: Snapshot;
  readonly language: Language;
  /** Reads the content of a snapshot file. */
  readContent(sha256: string): Promise<Uint8Array>;
}

type Parameters = Readonly<Record<string, unknown>>;

interface FileResource {
  readonly title: string;
  readonly parameters: Parameters;
}

// Puppet: with `source_permissions => ignore` the mode is always 0644, even for a folder
// (FileServing::Metadata::MetaStat).
const IGNORED_MODE = 0o644;
/**
 * A fixed ctime of folders: agents do not compare it, and a real one would make equal catalogs
 * differ.
 */
const NO_TIME = '{ctime}1970-01-01 00:00:00 +0000';

/**
 * Inlines metadata for resources whose sources are all in `files` of modules inside the
 * environment's folder. Puppet: Puppet::Resource::Catalog::Compiler#inline_metadata
 */
// Differs from Puppet: links, time-based checksums, listings beyond `max_files`, files of other
// servers and missing sources are not inlined; the agent requests them as without a static catalog.
// So one missing file does not fail the node's whole catalog.
export async function inlineMetadata(
  resources: readonly FileResource[],
  checksumType: string,
  source: InlineSource,
): Promise<InlinedMetadata> {
  const metadata: Record<string, Metadata> = {};
  const recursive: Record<string, Readonly<Record<string, readonly Metadata[]>>> = {};
  for (const { title, parameters } of resources) {
    const sources = [parameters.source ?? []].flat().map(String);
    if (parameters.ensure === 'absent' || sources.length === 0) continue;
    if (!sources.every((one) => one.startsWith('puppet:'))) continue;
    const inliner = inlinerFor(parameters, checksumType, source);
    if (inliner === null) continue;
    if ([true, 'true', 'remote'].some((recurse) => parameters.recurse === recurse)) {
      const found = await inliner.inlineRecursively(sources);
      if (found) recursive[title] = found;
    } else {
      const found = await inliner.inlineOne(sources);
      if (found) metadata[title] = found;
    }
  }
  return { metadata, recursive_metadata: recursive };
}

function inlinerFor(parameters: Parameters, checksumType: string, source: InlineSource): Inliner | null {
  const type = parameters.checksum === undefined ? checksumType : String(parameters.checksum);
  const digest = isChecksumType(type, source.language) ? digestOf(type) : null;
  return digest && new Inliner(parameters, { ...digest, type }, source);
}

interface TypedDigest extends Digest {
  /** Puppet's name of the checksum type. */
  readonly type: string;
}

/** Inlines the metadata of one resource. */
class Inliner {
  readonly #parameters: Parameters;
  readonly #digest: TypedDigest;
  readonly #source: InlineSource;

  constructor(parameters: Parameters, digest: TypedDigest, source: InlineSource) {
    this.#parameters = parameters;
    this.#digest = digest;
    this.#source = source;
  }

  /** Metadata of the first source that exists; null when it cannot be inlined. */
  async inlineOne(sources: readonly string[]): Promise<Metadata | null> {
    for (const source of sources) {
      const uri = source.replace(/\/+$/, '');
      const path = this.#find(uri);
      if (path === 'elsewhere') return null;
      if (path === null) continue;
      if (!this.#isInlineable(path)) return null;
      return { ...(await this.#describe(path, path, null)), source: uri };
    }
    return null;
  }

  /** Listings of the first source that exists, or of all with `sourceselect => all`. */
  async inlineRecursively(sources: readonly string[]): Promise<Record<string, readonly Metadata[]> | null> {
    const found: Record<string, readonly Metadata[]> = {};
    for (const source of sources) {
      const uri = source.replace(/\/+$/, '');
      const base = this.#find(uri);
      if (base === null) continue;
      if (base === 'elsewhere' || !this.#isInlineable(base)) return null;
      const relatives = this.#list(base);
      if (relatives === null) return null;
      const listed: Metadata[] = [];
      for (const relative of relatives) {
        listed.push(await this.#describe(posix.join(base, relative), base, relative));
      }
      found[uri] = listed;
      if ((this.#parameters.sourceselect ?? 'first') === 'first') break;
    }
    return Object.keys(found).length === 0 ? null : found;
  }

  /**
   * The served path of a source; null when it does not exist, `elsewhere` when it is not a module's
   * file.
   */
  #find(uri: string): string | 'elsewhere' | null {
    const [, name, rest] = /^puppet:\/\/\/modules\/([^/]+)(\/.*)?$/.exec(uri) ?? [];
    if (name === undefined || rest?.split('/').includes('..')) return 'elsewhere';
    const { environment } = this.#source;
    const module = environment.findModule(name);
    const path = module && posix.join(module.root, 'files', rest ?? '');
    return path !== null && environment.kindOf(path) !== null ? path : null;
  }

  /** Whether the path is `<environment>/<folder>/<module>/files/<more>`, without a link in it. */
  #isInlineable(path: string): boolean {
    const { environment } = this.#source;
    if (!path.startsWith(`${environment.root}/`)) return false;
    const [, module] = /^([^/]+\/[^/]+)\/files\/.+/.exec(posix.relative(environment.root, path)) ?? [];
    if (module === undefined) return false;
    // Recorded as an input of the static catalog: a link in the module may concern this path.
    environment.attribute(posix.join(environment.root, module), 'links');
    return !this.#isLinked(path);
  }

  #isLinked(path: string): boolean {
    const { links = {} } = this.#source.snapshot;
    for (let at = snapshotPath(path); at !== '.'; at = posix.dirname(at)) if (at in links) return true;
    return false;
  }

  /** Relative paths by level, `.` first; null when one is a link, or beyond `max_files`. */
  #list(base: string): readonly string[] | null {
    const { environment } = this.#source;
    const { recurselimit, max_files } = this.#parameters;
    const deepest = recurselimit === undefined ? Number.POSITIVE_INFINITY : Number(recurselimit);
    const ignored = [this.#parameters.ignore ?? []].flat().map(String);
    const all: string[] = ['.'];
    let level: readonly string[] = ['.'];
    for (let depth = 1; depth <= deepest && level.length > 0; depth += 1) {
      level = level.flatMap((relative) => {
        if (environment.kindOf(posix.join(base, relative)) !== 'directory') return [];
        const names = environment.list(posix.join(base, relative)) ?? [];
        const kept = names.filter((name) => !ignored.some((pattern) => fileNameMatches(pattern, name)));
        return kept.map((name) => posix.join(relative, name));
      });
      all.push(...level);
    }
    if (Number(max_files ?? 0) > 0 && all.length - 1 > Number(max_files)) return null;
    return all.some((relative) => this.#isLinked(posix.join(base, relative))) ? null : all;
  }

  async #describe(full: string, path: string, relative: string | null): Promise<Metadata> {
    const { environment } = this.#source;
    const isFolder = environment.kindOf(full) === 'directory';
    return {
      path,
      relative_path: relative,
      links: String(this.#parameters.links ?? 'manage'),
      owner: 0,
      group: 0,
      mode: this.#readMode(full),
      checksum: isFolder ? { type: 'ctime', value: NO_TIME } : await this.#computeChecksum(full),
      type: isFolder ? 'directory' : 'file',
      destination: null,
      content_uri: `puppet:///${posix.relative(environment.root, full)}`,
    };
  }

  #readMode(full: string): number {
    if ((this.#parameters.source_permissions ?? 'ignore') === 'ignore') return IGNORED_MODE;
    const mode = this.#source.environment.attribute(full, 'mode');
    return mode === null ? USUAL_FOLDER_MODE : Number.parseInt(mode, 8);
  }

  async #computeChecksum(full: string): Promise<Metadata['checksum']> {
    const { type, algorithm, bytes } = this.#digest;
    const sha256 = this.#source.environment.digest(full) ?? '';
    if (type === 'sha256') return { type, value: `{sha256}${sha256}` };
    const content = await this.#source.readContent(sha256);
    const hash = createHash(algorithm).update(content.subarray(0, bytes));
    return { type, value: `{${type}}${hash.digest('hex')}` };
  }
}

function snapshotPath(path: string): string {
  return posix.relative(SERVED_CODE_DIRECTORY, path);
}
