import { posix } from 'node:path';
import { readContent } from '../../fleet/snapshots/stored-content.ts';
import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import { type CustomMount, expandMount, parseFileserverConf } from '../../puppet/environment/fileserver-conf.ts';
import { globBelow } from '../../puppet/environment/glob.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import type { MemoryTree } from '../../puppet/environment/memory-tree.ts';
import {
  FILESERVER_CONF,
  SERVED_CODE_DIRECTORY,
  type Snapshot,
  type SnapshotFile,
  USUAL_FOLDER_MODE,
} from '../../puppet/environment/snapshot.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import type { TreeEnvironment } from '../../puppet/environment/tree-environment.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { LinkHandling } from './file-metadata.ts';
import { type FoundPath, listFileset, mergeFilesets, type SearchOptions } from './fileset.ts';
import { SnapshotLinks } from './snapshot-links.ts';

/** Mounts that merge one folder of all modules into a tree, with that folder's name. */
const MERGED_MOUNTS: ReadonlyMap<string, string> = new Map([
  ['plugins', 'lib'],
  ['pluginfacts', 'facts.d'],
  ['locales', 'locales'],
]);
/** Mounts whose paths begin with a module name, with the served folder of the module. */
const MODULE_MOUNTS: ReadonlyMap<string, string> = new Map([
  ['modules', 'files'],
  ['tasks', 'tasks'],
  ['scripts', 'scripts'],
]);

const MS_A_SECOND = 1000;
const FETCHES_AT_ONCE = 16;
/** The files that define the location of modules and mounts. */
const LAYOUT_FILES = /(^|\/)(environment\.conf|metadata\.json|fileserver\.conf)$/;

/** A file, folder or link that a mount serves, by its served path. */
export type ServedPath = {
  readonly path: string;
} /** `writtenAt`: when the content was written, in milliseconds; null when it is not known. */ & (
  | { readonly kind: 'file'; readonly file: SnapshotFile; readonly writtenAt: number | null }
  | { readonly kind: 'directory'; readonly mode: number }
  /** `file` is the link's target; null when that is a folder or missing. */
  | {
      readonly kind: 'link';
      readonly destination: string;
      readonly file: SnapshotFile | null;
      readonly writtenAt: number | null;
    }
);

/** A path in a mount, and the client: some mounts serve each node its own folder. */
interface MountPath {
  readonly mount: string;
  readonly path: string;
  readonly certname: string;
}

/** The files of one snapshot as Puppet's file server serves them: lib/puppet/file_serving/mount. */
export class ServedEnvironment {
  readonly codeId: string;
  /** Settings and modules of the environment. */
  readonly environment: TreeEnvironment;
  readonly #snapshot: Snapshot;
  readonly #tree: MemoryTree;
  readonly #links: SnapshotLinks;
  readonly #modules: readonly ModuleInfo[];
  readonly #mounts: ReadonlyMap<string, CustomMount>;

  private constructor(snapshot: Snapshot, codeId: string, tree: MemoryTree) {
    this.environment = openSnapshotEnvironment(snapshot, codeId, tree, NO_RECORDER);
    this.codeId = codeId;
    this.#snapshot = snapshot;
    this.#tree = tree;
    this.#links = new SnapshotLinks(snapshot, tree);
    this.#modules = this.environment.listModules();
    this.#mounts = readMounts(this.environment);
  }

  /**
   * Opens a snapshot: fetches only the files that define the location of modules. Others are
   * fetched on demand.
   */
  static async open(snapshot: Snapshot, codeId: string, blobs: BlobStore): Promise<ServedEnvironment> {
    const wanted = Object.entries(snapshot.files).filter(([path]) => LAYOUT_FILES.test(path));
    const bytes = new Map<string, Uint8Array>();
    const digests = new Set(wanted.map(([, { sha256 }]) => sha256));
    await inParallel(FETCHES_AT_ONCE, digests, async (sha256) => {
      bytes.set(sha256, await readContent(blobs, sha256));
    });
    const tree = snapshotTree(snapshot, (sha256) => bytes.get(sha256) ?? new Uint8Array());
    return new ServedEnvironment(snapshot, codeId, tree);
  }

  hasMount(mount: string): boolean {
    return MERGED_MOUNTS.has(mount) || MODULE_MOUNTS.has(mount) || this.#mounts.has(mount);
  }

  /** Finds a path in a mount; null when it does not exist or is a link without a target. */
  find(asked: MountPath, links: LinkHandling): ServedPath | null {
    const shown = this.#place(asked);
    return shown !== null && this.findServed(shown, 'follow') !== null ? this.findServed(shown, links) : null;
  }

  /** Finds the folders (or files) to search below a path; null when there are none. */
  findSearched(asked: MountPath): { readonly bases: readonly string[]; readonly isEmpty: boolean } | null {
    const folder = MERGED_MOUNTS.get(asked.mount);
    if (folder === undefined) {
      const found = this.find(asked, 'follow');
      return found && { bases: [found.path.replace(/(.)\/$/, '$1')], isEmpty: false };
    }
    const roots = this.#modules
      .map((module) => posix.join(module.root, folder))
      .filter((root) => this.#tree.kindOf(root) === 'directory');
    if (roots.length > 0) return { bases: roots, isEmpty: false };
    // Puppet: without such a folder the result is the module path itself, without its content.
    const { modulepath } = this.environment;
    return { bases: modulepath.length > 0 ? modulepath : [SERVED_CODE_DIRECTORY], isEmpty: true };
  }

  /** Lists everything below the folders that `findSearched` found. */
  list(
    { bases, isEmpty }: { readonly bases: readonly string[]; readonly isEmpty: boolean },
    options: SearchOptions,
    links: LinkHandling,
  ): readonly FoundPath[] {
    const listFolder = (path: string) => this.#links.list(path, links);
    const asked = isEmpty ? { ...options, recurse: false } : options;
    return mergeFilesets(bases.map((base) => listFileset(listFolder, base, asked)));
  }

  /**
   * Finds a file, folder or link by served path; null when it does not exist or a followed link has
   * no target.
   */
  findServed(path: string, links: LinkHandling): ServedPath | null {
    const normal = posix.normalize(path).replace(/(.)\/$/, '$1');
    const relative = posix.relative(SERVED_CODE_DIRECTORY, normal);
    const file = this.#snapshot.files[relative] ?? null;
    const destination = this.#links.findDestination(normal);
    const time = this.#snapshot.times?.[relative];
    const writtenAt = time === undefined ? null : time * MS_A_SECOND;
    if (links === 'manage' && destination !== null) return { path, kind: 'link', destination, file, writtenAt };
    if (file) return { path, kind: 'file', file, writtenAt };
    if (this.#tree.kindOf(normal) !== 'directory' && normal !== SERVED_CODE_DIRECTORY) return null;
    return { path, kind: 'directory', mode: this.#snapshot.folders?.[relative] ?? USUAL_FOLDER_MODE };
  }

  /** Names in a folder, following links; null when it is not a folder. */
  listNames(folder: string): readonly string[] | null {
    return this.#tree.list(folder);
  }

  /**
   * The file at a path, or the files below it whose names end in `extension`, as Puppet's `**`
   * finds them.
   */
  filesBelow(path: string, extension = ''): readonly string[] {
    const found = this.#tree.kindOf(path) === 'file' ? [path] : globBelow(path, extension, this.#tree);
    return found.filter((below) => this.#tree.kindOf(below) === 'file');
  }

  /** The served path of a path in a mount; null when there cannot be one. */
  #place({ mount, path, certname }: MountPath): string | null {
    const folder = MERGED_MOUNTS.get(mount);
    if (folder !== undefined) {
      const places = this.#modules.map((module) => posix.join(module.root, folder, path));
      return places.find((place) => this.findServed(place, 'follow') !== null) ?? null;
    }
    const custom = this.#mounts.get(mount);
    if (custom) {
      const base = expandMount(custom, certname);
      return base && posix.join(base, path);
    }
    const [name = ''] = path.split('/');
    const module = this.#modules.find((one) => one.name === name);
    return module ? `${posix.join(module.root, MODULE_MOUNTS.get(mount) ?? '')}${path.slice(name.length)}` : null;
  }
}

/** The mounts of the environment's fileserver.conf, else of the one shared by all environments. */
function readMounts(environment: TreeEnvironment): ReadonlyMap<string, CustomMount> {
  for (const folder of [environment.root, SERVED_CODE_DIRECTORY]) {
    const file = posix.join(folder, FILESERVER_CONF);
    const text = environment.readText(file);
    if (text === null) continue;
    const mounts = parseFileserverConf(text, file, SERVED_CODE_DIRECTORY);
    return new Map(mounts.map((mount) => [mount.name, mount]));
  }
  return new Map();
}
