import { type Dirent, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkBoundary } from '../fleet/code/link-boundary.ts';
import { fileStat } from '../puppet/environment/file-tree.ts';

/**
 * Adds a line with a file's size and times, or a folder's mode, to `lines`. Returns the identity of
 * a folder; null for a file, and for a path that does not exist.
 */
export function describeFile(path: string, lines: string[]): string | null {
  const stat = fileStat(path);
  if (stat === undefined) return null;
  if (stat.isDirectory()) {
    lines.push(`${path} ${stat.mode}`);
    return `${stat.dev}:${stat.ino}`;
  }
  lines.push(`${path} ${stat.size} ${stat.mtimeMs} ${stat.ino} ${stat.mode}`);
  return null;
}

/**
 * Describes the files and links in a folder, except those with a name that is left out; returns the
 * entries that may be folders. A link out of the boundary is described and not followed.
 */
export function describeEntries(
  path: string,
  entries: readonly Dirent[],
  lines: string[],
  boundary: LinkBoundary | null,
  leftOut: readonly string[],
): readonly string[] {
  const folders: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (leftOut.includes(entry.name)) continue;
    const child = join(path, entry.name);
    if (entry.isSymbolicLink()) lines.push(`${child} -> ${readlinkSync(child)}`);
    if (entry.isFile()) describeFile(child, lines);
    else if (!(entry.isSymbolicLink() && boundary?.findOutside(child))) folders.push(child);
  }
  return folders;
}
