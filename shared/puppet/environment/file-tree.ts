/**
 * Files by absolute logical path, as an environment's code sees them. Reads nothing twice that it
 * can keep.
 */
export interface FileTree {
  kindOf(path: string): 'file' | 'directory' | null;
  /** The bytes of a file; null when there is none (a folder is none). */
  read(path: string): Uint8Array | null;
  /** The text (UTF-8, a leading byte order mark kept) of a file; null when there is none. */
  readText(path: string): string | null;
  /** sha256 (hex) of a file's bytes; null when there is none. */
  digest(path: string): string | null;
  /** Names in a folder, sorted by code unit; null when there is no such folder. */
  list(path: string): readonly string[] | null;
}

/**
 * Shows `mounted` at `mountPoint` (and below it), `tree` elsewhere. `mounted` is asked with the
 * same absolute paths.
 */
export function mountTree(tree: FileTree, mountPoint: string, mounted: FileTree): FileTree {
  const pick = (path: string) => (path === mountPoint || path.startsWith(`${mountPoint}/`) ? mounted : tree);
  return {
    kindOf: (path) => pick(path).kindOf(path),
    read: (path) => pick(path).read(path),
    readText: (path) => pick(path).readText(path),
    digest: (path) => pick(path).digest(path),
    list: (path) => pick(path).list(path),
  };
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
