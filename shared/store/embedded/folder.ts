import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveToFolderOwner } from './folder-owner.ts';

/**
 * Creates a folder with access for its owner only, and its missing parents. A folder that root
 * creates belongs to the owner of the one above. Throws the file system's error. Node's recursive
 * mkdir never returns where a file system answers ENOENT, as /proc does.
 */
export function makeFolder(path: string): void {
  if (makeIfMissing(path)) return;
  makeFolder(dirname(path));
  makeIfMissing(path);
}

/** False when the parent folder is missing. */
function makeIfMissing(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    giveToFolderOwner(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && isFolder(path)) return true;
    if (codeOf(error) === 'ENOENT' && !isFolder(dirname(path)) && dirname(path) !== path) return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
