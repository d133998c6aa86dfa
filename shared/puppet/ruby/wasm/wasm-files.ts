/**
 * A file system of some read-only files in memory, for the WASI of `wasm-system.ts`. Paths have no
 * slash at either end.
 */
export class MemoryFiles {
  readonly #files: ReadonlyMap<string, Uint8Array>;
  /** What each folder holds: names, and whether they are folders. */
  readonly #folders = new Map<string, Map<string, boolean>>([['', new Map()]]);

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.#files = files;
    for (const path of files.keys()) this.#enter(path, false);
  }

  /** The file or folder at `path`, or null when there is none. */
  find(path: string): OpenFile | null {
    const bytes = this.#files.get(path);
    if (bytes) return { path, bytes, position: 0 };
    return this.#folders.has(path) ? { path, bytes: null, position: 0 } : null;
  }

  /** What a folder holds, by name. */
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

/** Folders of Ruby's side, and of the library. */
export const SIDE = 'understudy';
export const LIBRARY = 'library';

/** Files as Ruby sees them: our side and the library. */
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

/** The path without `.`, `..` and doubled slashes; null when it leads out. */
export function normalizePath(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
