import { readdirSync, readFileSync, statSync } from 'node:fs';
import { sha256 } from '../util/digest.ts';
import type { FileTree } from './file-tree.ts';

interface Loaded {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/**
 * The host's files. Symbolic links are followed; paths stay as they were asked for. What was read once is kept, so that one
 * tree shows one state: make a new one to see changes.
 */
export class DiskTree implements FileTree {
  readonly #kinds = new Map<string, 'file' | 'directory' | null>();
  readonly #files = new Map<string, Loaded | null>();
  readonly #lists = new Map<string, readonly string[] | null>();

  kindOf(path: string): 'file' | 'directory' | null {
    return keep(this.#kinds, path, () => {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory()) return 'directory';
      return stat?.isFile() ? 'file' : null;
    });
  }

  read(path: string): Uint8Array | null {
    return this.#load(path)?.bytes ?? null;
  }

  digest(path: string): string | null {
    return this.#load(path)?.digest ?? null;
  }

  list(path: string): readonly string[] | null {
    return keep(this.#lists, path, () => (this.kindOf(path) === 'directory' ? readdirSync(path).sort() : null));
  }

  #load(path: string): Loaded | null {
    return keep(this.#files, path, () => {
      if (this.kindOf(path) !== 'file') return null;
      const bytes = readFileSync(path);
      return { bytes, digest: sha256(bytes) };
    });
  }
}

function keep<T>(kept: Map<string, T>, path: string, find: () => T): T {
  const known = kept.get(path);
  if (known !== undefined) return known;
  const found = find();
  kept.set(path, found);
  return found;
}
