/**
 * The start image: a snapshot of a Node process that has the code of a command loaded and
 * translated already, in `node_modules/.cache/understudy`. It holds which files it was made of;
 * once one of them changes it isn't used again.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file as it was when an image was made of it: path, time of its last change in milliseconds,
 * bytes.
 */
export type SourceStamp = readonly [path: string, changed: number, size: number];

const MAY_BE_MISSING = { throwIfNoEntry: false } as const;

export interface ImageFiles {
  readonly folder: string;
  readonly blob: string;
  /**
   * Lines: the Node that made the image; the project's folder; the flags with which the image is
   * run.
   */
  readonly node: string;
  /**
   * Files with the times of that Node's file and of the folder that it's in. The image is that
   * Node's only as long as theirs are the same: a shell compares them without a process, whatever
   * the clock says.
   */
  readonly nodeTime: string;
  readonly folderTime: string;
  /** There as long as someone makes the image. */
  readonly lock: string;
}

/**
 * Where the image of the project in `root` lies. `functions/understudy` knows the names as well.
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
    lock: file('lock'),
  };
}

/** The file as it is now; null when it's not there. */
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
 * Takes the image away, so that the next command makes a new one; where that's not allowed, it
 * stays unused.
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
