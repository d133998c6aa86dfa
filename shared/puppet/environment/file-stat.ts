import { type Stats, statSync } from 'node:fs';

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
