import { posix } from 'node:path';
import type { ModuleInfo } from '../../environment/environment.ts';
import { NO_RECORDER } from '../../environment/inputs.ts';
import type { MemoryTree } from '../../environment/memory-tree.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot, type SnapshotFile } from '../../environment/snapshot.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../environment/snapshot-environment.ts';
import { inParallel } from '../../store/in-parallel.ts';
import type { BlobStore } from '../../store/ports.ts';
import { type FoundPath, listFileset, mergeFilesets, type SearchOptions } from './fileset.ts';

/** Mounts that merge a folder of all modules into one tree, and that folder's name. */
const MERGED_MOUNTS: ReadonlyMap<string, string> = new Map([
  ['plugins', 'lib'],
  ['pluginfacts', 'facts.d'],
  ['locales', 'locales'],
]);
/** Mounts whose paths begin with a module's name, and that module's folder they show. */
const MODULE_MOUNTS: ReadonlyMap<string, string> = new Map([
  ['modules', 'files'],
  ['tasks', 'tasks'],
  ['scripts', 'scripts'],
]);

const FETCHES_AT_ONCE = 16;

/** A file or folder of the environment that a mount shows, by its served path. */
export type ServedPath = { readonly path: string } & (
  | { readonly kind: 'file'; readonly file: SnapshotFile }
  | { readonly kind: 'directory' }
);

/** The files of one snapshot as Puppet's file server shows them: lib/puppet/file_serving/mount. */
export class ServedEnvironment {
  readonly codeId: string;
  readonly #snapshot: Snapshot;
  readonly #tree: MemoryTree;
  readonly #modules: readonly ModuleInfo[];
  readonly #modulepath: readonly string[];

  private constructor(snapshot: Snapshot, codeId: string, tree: MemoryTree) {
    const environment = openSnapshotEnvironment(snapshot, codeId, tree, NO_RECORDER);
    this.codeId = codeId;
    this.#snapshot = snapshot;
    this.#tree = tree;
    this.#modules = environment.modules();
    this.#modulepath = environment.modulepath;
  }

  /** Fetches the few files that say where modules lie; the others are fetched when they are asked for. */
  static async open(snapshot: Snapshot, codeId: string, blobs: BlobStore): Promise<ServedEnvironment> {
    const wanted = Object.entries(snapshot.files).filter(([path]) =>
      /(^|\/)(environment\.conf|metadata\.json)$/.test(path),
    );
    const bytes = new Map<string, Uint8Array>();
    const digests = new Set(wanted.map(([, { sha256 }]) => sha256));
    await inParallel(FETCHES_AT_ONCE, digests, async (sha256) => {
      bytes.set(sha256, (await blobs.get(`files/${sha256}`)) ?? new Uint8Array());
    });
    const tree = snapshotTree(snapshot, (sha256) => bytes.get(sha256) ?? new Uint8Array());
    return new ServedEnvironment(snapshot, codeId, tree);
  }

  /** What a mount shows under `path`; null when it shows nothing. */
  find(mount: string, path: string): ServedPath | null {
    if (path.split('/').includes('..')) return null;
    const folder = MERGED_MOUNTS.get(mount);
    if (folder === undefined) return this.#findInModule(mount, path);
    for (const module of this.#modules) {
      const found = this.at(posix.join(module.root, folder, path));
      if (found !== null) return found;
    }
    return null;
  }

  /** What a mount shows under `path` and below; null when there is nothing. */
  search(mount: string, path: string, options: SearchOptions): readonly FoundPath[] | null {
    const folder = MERGED_MOUNTS.get(mount);
    if (folder === undefined) {
      const found = this.find(mount, path);
      return found === null ? null : listFileset(this.#tree, found.path, options);
    }
    const roots = this.#modules
      .map((module) => posix.join(module.root, folder))
      .filter((root) => this.#tree.kindOf(root) === 'directory');
    // Puppet: without any such folder the module path itself is shown, but nothing in it.
    if (roots.length > 0) return mergeFilesets(roots.map((root) => listFileset(this.#tree, root, options)));
    const bases = this.#modulepath.length > 0 ? this.#modulepath : [SERVED_CODE_DIRECTORY];
    return mergeFilesets(bases.map((base) => listFileset(this.#tree, base, { ...options, recurse: false })));
  }

  /** A file or folder by its served path. */
  at(path: string): ServedPath | null {
    const normal = posix.normalize(path).replace(/(.)\/$/, '$1');
    if (this.#tree.kindOf(normal) === 'directory' || normal === SERVED_CODE_DIRECTORY) {
      return { path: normal, kind: 'directory' };
    }
    const file = this.#snapshot.files[posix.relative(SERVED_CODE_DIRECTORY, normal)];
    return file === undefined ? null : { path: normal, kind: 'file', file };
  }

  #findInModule(mount: string, path: string): ServedPath | null {
    const folder = MODULE_MOUNTS.get(mount);
    const [name = '', ...rest] = path.split('/');
    const module = this.#modules.find((one) => one.name === name);
    if (folder === undefined || module === undefined) return null;
    return this.at(posix.join(module.root, folder, ...rest));
  }
}

export function isMount(mount: string): boolean {
  return MERGED_MOUNTS.has(mount) || MODULE_MOUNTS.has(mount);
}
