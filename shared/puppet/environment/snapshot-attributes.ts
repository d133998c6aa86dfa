import { posix } from 'node:path';
import { digestSha256 } from '../../util/digest.ts';
import type { AttributeName } from './file-tree.ts';
import { type Snapshot, USUAL_FOLDER_MODE } from './snapshot.ts';

/** An attribute of an entry of a snapshot. `path` is a snapshot path; the entry must exist. */
export function snapshotAttribute(snapshot: Snapshot, path: string, name: AttributeName): string {
  if (name === 'mode') return modeOf(snapshot, path).toString(8).padStart(4, '0');
  const links = Object.keys(snapshot.links ?? {}).filter((link) => isOnOneLine(link, path));
  return digestSha256(links.sort().join('\n'));
}

function modeOf({ files, folders }: Snapshot, path: string): number {
  return files[path]?.mode ?? folders?.[path] ?? USUAL_FOLDER_MODE;
}

/** Whether one of the paths is at or above the other. */
function isOnOneLine(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/**
 * The records of attributes (`<path>//<name>`) that differ between two snapshots. Attributes of
 * added and removed entries are left out: a compile that reads them reads the entry as well.
 */
export function diffAttributes(before: Snapshot, after: Snapshot, folders: Iterable<string>): readonly string[] {
  const kept = [...folders];
  const modes = [...Object.keys(after.files).filter((path) => path in before.files), ...kept];
  const links = findChangedLinks(before, after);
  const linked = links.flatMap((link) => [
    ...listAbove(link),
    ...kept.filter((folder) => folder.startsWith(`${link}/`)),
  ]);
  return [
    ...modes.filter((path) => modeOf(before, path) !== modeOf(after, path)).map((path) => `${path}//mode`),
    ...new Set(linked.map((path) => `${path}//links`)),
  ];
}

function findChangedLinks({ links: old = {} }: Snapshot, { links: next = {} }: Snapshot): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].filter((link) => link in old !== link in next);
}

/** The path and all folders above it. */
function listAbove(path: string): readonly string[] {
  const above: string[] = [];
  for (let at = path; at !== '.'; at = posix.dirname(at)) above.push(at);
  return above;
}
