/** A file system of some read-only files in memory, for the WASI of `wasm-system.ts`. Paths have no slash at either end. */
export type MemoryFiles = ReadonlyMap<string, Uint8Array>;

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

/** The file or folder at `path`, or null when there is none. */
export function findFile(files: MemoryFiles, path: string): OpenFile | null {
  const bytes = files.get(path);
  if (bytes) return { path, bytes, position: 0 };
  return path === '' || namesIn(files, path).length > 0 ? { path, bytes: null, position: 0 } : null;
}

/** What a folder holds, by name. */
export function namesIn(files: MemoryFiles, folder: string): readonly { name: string; isFolder: boolean }[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const names = new Map<string, boolean>();
  for (const path of files.keys()) {
    if (!path.startsWith(prefix)) continue;
    const [name = '', ...deeper] = path.slice(prefix.length).split('/');
    names.set(name, deeper.length > 0);
  }
  return [...names].map(([name, isFolder]) => ({ name, isFolder }));
}
