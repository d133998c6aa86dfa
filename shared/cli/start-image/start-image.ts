/**
 * The start image: a snapshot of a Node process that has loaded and compiled the code of a command,
 * in `node_modules/.cache/understudy`. The image lists its source files; once one of them has
 * changed, the image is not used again.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A source file as it was when the image was made: path, time of its last change in milliseconds,
 * bytes.
 */
export type SourceStamp = readonly [path: string, changed: number, size: number];

const MAY_BE_MISSING = { throwIfNoEntry: false } as const;

export interface ImageFiles {
  readonly folder: string;
  readonly blob: string;
  /** Lines: the Node that made the image; the project's folder; the flags for running the image. */
  readonly node: string;
  /**
   * Files that carry the times of that Node's file and of its folder. The image is valid only while
   * these times are equal: a shell can compare them without a process, whatever the clock says.
   */
  readonly nodeTime: string;
  readonly folderTime: string;
  /** The output of `cksum` for `blob` and `node`, in their folder. */
  readonly sum: string;
  /** Exists while a process makes the image. */
  readonly lock: string;
}

/**
 * Returns the paths of the start image of the project in `root`. `functions/understudy` uses the
 * same names.
 */
export function imageFiles(root: string): ImageFiles {
  const folder = join(root, 'node_modules', '.cache', 'understudy');
  const file = (suffix: string) => join(folder, `start.${suffix}`);
  return {
    folder,
    blob: file('blob'),
    node: file('node'),
    nodeTime: file('node-time'),
    folderTime: file('folder-time'),
    sum: file('sum'),
    lock: file('lock'),
  };
}

/** Returns the stamp of the file as it is now; null when the file does not exist. */
export function stampOf(path: string): SourceStamp | null {
  const found = statSync(path, MAY_BE_MISSING);
  return found ? [path, found.mtimeMs, found.size] : null;
}

export function isCurrent(sources: readonly SourceStamp[]): boolean {
  for (const [path, changed, size] of sources) {
    const now = statSync(path, MAY_BE_MISSING);
    if (now?.mtimeMs !== changed || now.size !== size) return false;
  }
  return true;
}

/**
 * Deletes the image, so that the next command makes a new one. Without permission to delete it, the
 * image stays unused.
 */
export function discardImage(root: string): void {
  try {
    rmSync(imageFiles(root).node, { force: true });
  } catch (error) {
    const isForbidden =
      error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(`${error.code}`);
    if (!isForbidden) throw error;
  }
}
