/**
 * A read-only file system in memory, for the WASI of `wasm-system.ts`. Paths have no leading or
 * trailing slash.
 */
export class MemoryFiles {
  readonly #files: ReadonlyMap<string, Uint8Array>;
  /** The entries of each folder: names, and whether they are folders. */
  readonly #folders = new Map<string, Map<string, boolean>>([['', new Map()]]);

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = files;
    for (const path of files.keys()) this.#enter(path, false);
  }

  /** Returns the file or folder at `path`, or null. */
  find(path: string): OpenFile | null {
    const bytes = this.#files.get(path);
    if (bytes) return { path, bytes, position: 0 };
    return this.#folders.has(path) ? { path, bytes: null, position: 0 } : null;
  }

  /** Returns the entries of a folder, by name. */
  namesIn(folder: string): readonly { name: string; isFolder: boolean }[] {
    return [...(this.#folders.get(folder) ?? [])].map(([name, isFolder]) => ({ name, isFolder }));
  }

  #enter(path: string, isFolder: boolean): void {
    const slash = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(slash, 0));
    const names = this.#folders.get(folder);
    if (names) names.set(path.slice(slash + 1), isFolder);
    else {
      this.#folders.set(folder, new Map([[path.slice(slash + 1), isFolder]]));
      this.#enter(folder, true);
    }
  }
}

/** Folders of the Ruby side and of the library. */
export const SIDE = 'understudy';
export const LIBRARY = 'library';

/** Creates the files that Ruby sees: the Ruby side and the library. */
export function allFiles(side: ReadonlyMap<string, Uint8Array>, library: ReadonlyMap<string, Uint8Array>): MemoryFiles {
  const ours = [...side].map(([path, bytes]) => [`${SIDE}/${path}`, bytes] as const);
  return new MemoryFiles(new Map([...library, ...ours]));
}

export interface OpenFile {
  readonly path: string;
  /** Null for a folder. */
  readonly bytes: Uint8Array | null;
  position: number;
}

/** Removes `.`, `..` and doubled slashes from a path; null when the path leaves the root. */
export function normalizePath(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
