import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestSha256 } from '../../util/digest.ts';
import { type DiskRoots, isLink } from './disk-roots.ts';
import { decodeText, type FileTree, fileStat } from './file-tree.ts';

/**
 * Reads the host's files, or only those in `roots`. Follows symbolic links; reported paths stay as
 * the caller gave them. Caches everything it read, so that one tree shows one state: create a new
 * tree to see changes.
 */
export class DiskTree implements FileTree {
  readonly #roots: DiskRoots | null;
  readonly #kinds = new Map<string, 'file' | 'directory' | null>();
  readonly #files = new Map<string, Uint8Array | null>();
  readonly #digests = new Map<string, string | null>();
  readonly #lists = new Map<string, readonly string[] | null>();

  constructor(roots: DiskRoots | null = null) {
    this.#roots = roots;
  }

  kindOf(path: string): 'file' | 'directory' | null {
    return keep(this.#kinds, path, () => {
      if (this.#roots?.includes(path) === false) return null;
      const stat = fileStat(path);
      if (stat?.isDirectory()) return 'directory';
      return stat?.isFile() ? 'file' : null;
    });
  }

  read(path: string): Uint8Array | null {
    return keep(this.#files, path, () => (this.kindOf(path) === 'file' ? readFileSync(path) : null));
  }

  readText(path: string): string | null {
    const bytes = this.read(path);
    return bytes && decodeText(bytes);
  }

  digest(path: string): string | null {
    return keep(this.#digests, path, () => {
      const bytes = this.read(path);
      return bytes && digestSha256(bytes);
    });
  }

  isLink(path: string): boolean {
    return isLink(path);
  }

  /** Static catalogs are made of snapshots only. */
  attribute(): null {
    return null;
  }

  list(path: string): readonly string[] | null {
    return keep(this.#lists, path, () => (this.kindOf(path) === 'directory' ? listNames(path) : null));
  }
}

/** The sorted names in a folder. Names that are no UTF-8 are left out, as they are at deploy. */
function listNames(folder: string): readonly string[] {
  const names = readdirSync(folder).sort();
  return names.filter((name) => !name.includes('\uFFFD') || existsSync(join(folder, name)));
}

function keep<T>(kept: Map<string, T>, path: string, find: () => T): T {
  const known = kept.get(path);
  if (known !== undefined) return known;
  const found = find();
  kept.set(path, found);
  return found;
}
