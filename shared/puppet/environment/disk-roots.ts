import { lstatSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * The files and folders of the host that a compile may see. What a symbolic link inside points to
 * has to be inside too.
 */
export class DiskRoots {
  readonly #roots = new Set<string>();
  /** Targets of the links that `#roots` and entries of module folders are or contain. */
  readonly #targets = new Set<string>();
  readonly #moduleFolders = new Set<string>();
  readonly #known = new Map<string, boolean>();

  /** Adds a file, or a folder with all that is in it. `path` is absolute and normal. */
  add(path: string): void {
    this.#roots.add(path);
    this.#addTarget(path);
    this.#known.clear();
  }

  /**
   * Adds a folder of modules. A module in it may be a link to any folder: whoever installs modules
   * makes such links, and no module can make one.
   */
  addModules(folder: string): void {
    this.#moduleFolders.add(folder);
    this.add(folder);
  }

  /** Whether an absolute, normal path may be seen. It does not have to exist. */
  includes(path: string): boolean {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const includes = this.#find(path);
    this.#known.set(path, includes);
    return includes;
  }

  #find(path: string): boolean {
    if (this.#roots.has(path)) return true;
    const folder = posix.dirname(path);
    if (folder === path || !this.includes(folder)) return false;
    if (!isLink(path)) return true;
    if (this.#moduleFolders.has(folder)) {
      this.#addTarget(path);
      return true;
    }
    const target = findTarget(path);
    return target !== null && this.#isTarget(target);
  }

  #isTarget(path: string): boolean {
    if (this.#targets.has(path)) return true;
    const folder = posix.dirname(path);
    return folder !== path && this.#isTarget(folder);
  }

  #addTarget(path: string): void {
    const target = findTarget(path);
    if (target !== null) this.#targets.add(target);
  }
}

/** Whether the entry itself is a symbolic link. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    // A file where the path has a folder; the stat that follows finds nothing, either.
    return false;
  }
}

/** The path behind all links; null when it does not exist or cannot be reached. */
function findTarget(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
