import { type Stats, statSync } from 'node:fs';

/**
 * What a path leads to; undefined when that is nothing: it's not there, or a link that leads
 * nowhere, or to itself.
 */
export function fileStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') return undefined;
    throw error;
  }
}
