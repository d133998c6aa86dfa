import { type Stats, statSync } from 'node:fs';

/**
 * Files by absolute logical path, as the code of an environment sees them. Implementations cache
 * what they read.
 */
export interface FileTree {
  kindOf(path: string): 'file' | 'directory' | null;
  /** The bytes of a file; null when it does not exist or is a folder. */
  read(path: string): Uint8Array | null;
  /** The text of a file (UTF-8, with its leading byte order mark); null when it does not exist. */
  readText(path: string): string | null;
  /** sha256 (hex) of a file's bytes; null when it does not exist. */
  digest(path: string): string | null;
  /**
   * Names in a folder, sorted by code unit, those of links without a target too; null when the
   * folder does not exist.
   */
  list(path: string): readonly string[] | null;
  /** Whether the entry itself is a symbolic link, with or without a target. */
  isLink(path: string): boolean;
  /** The state of an attribute; null when the tree does not have it. */
  attribute(path: string, name: AttributeName): string | null;
}

/**
 * Attributes of entries in static catalogs, besides the content. `mode`: the permission bits in
 * octal. `links`: a text that names the symbolic links among the entries at, above and below the
 * path.
 */
export type AttributeName = 'mode' | 'links';

/** Separates a path from the name of an attribute in records: `a/b//mode`. */
export const ATTRIBUTE_MARK = '//';

/**
 * Shows `mounted` at and below `mountPoint`, and `tree` elsewhere. Both trees get the same absolute
 * paths.
 */
export function mountTree(tree: FileTree, mountPoint: string, mounted: FileTree): FileTree {
  return chooseTree((path) => (path === mountPoint || path.startsWith(`${mountPoint}/`) ? mounted : tree));
}

/** Shows the files at `paths` as `replaced` has them, and `tree` elsewhere. */
export function replaceFiles(tree: FileTree, replaced: FileTree, paths: ReadonlySet<string>): FileTree {
  return chooseTree((path) => (paths.has(path) ? replaced : tree));
}

/** Reads each path from the tree that `pick` gives for it. */
function chooseTree(pick: (path: string) => FileTree): FileTree {
  return {
    kindOf: (path) => pick(path).kindOf(path),
    read: (path) => pick(path).read(path),
    readText: (path) => pick(path).readText(path),
    digest: (path) => pick(path).digest(path),
    list: (path) => pick(path).list(path),
    isLink: (path) => pick(path).isLink(path),
    attribute: (path, name) => pick(path).attribute(path, name),
  };
}

/** The names in a folder, those of folders with a trailing slash; null when it does not exist. */
export function listEntries(tree: Pick<FileTree, 'kindOf' | 'list'>, folder: string): readonly string[] | null {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  const nameOf = (name: string) => (tree.kindOf(prefix + name) === 'directory' ? `${name}/` : name);
  return tree.list(folder)?.map(nameOf) ?? null;
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/**
 * Returns the stat of the file or folder at `path`, following symbolic links. Undefined when it
 * does not exist, when a link is broken, or when links form a loop.
 */
export function fileStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') return undefined;
    throw error;
  }
}
