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
function diffAttributes(before: Snapshot, after: Snapshot, folders: Iterable<string>): readonly string[] {
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

/**
 * The recorded paths that a switch from `before` to `after` affects. These are files that were
 * changed, added or removed, folders that were added or removed, and, with a trailing slash,
 * folders in whose listing a name, or the kind of an entry, changed, and changed attributes
 * (`<path>//mode`). With `before` null everything was added.
 */
export function diffSnapshots(before: Snapshot | null, after: Snapshot): readonly string[] {
  const old = before?.files ?? {};
  const changed = new Set<string>();
  for (const [path, file] of Object.entries(after.files)) {
    if (old[path]?.sha256 !== file.sha256) changed.add(path);
  }
  for (const path of Object.keys(old)) {
    if (!(path in after.files)) changed.add(path);
  }
  const oldFolders = foldersOf(before);
  const newFolders = foldersOf(after);
  for (const folder of new Set([...oldFolders.keys(), ...newFolders.keys()])) {
    const was = oldFolders.get(folder);
    const is = newFolders.get(folder);
    if (!was || !is) changed.add(folder);
    if (!was || !is || was.size !== is.size || [...is].some((name) => !was.has(name))) changed.add(`${folder}/`);
  }
  const kept = [...newFolders.keys()].filter((folder) => oldFolders.has(folder));
  const attributes = before ? diffAttributes(before, after, kept) : [];
  return [...changed, ...attributes].sort();
}

/** Paths of added, changed and removed files, each list sorted. */
export interface SnapshotChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/**
 * The changes of files between two snapshots, as users see them. With `before` null everything was
 * added.
 */
export function compareSnapshots(before: Snapshot | null, after: Snapshot): SnapshotChanges {
  const old = before?.files ?? {};
  const paths = Object.keys(after.files).sort();
  return {
    added: paths.filter((path) => old[path] === undefined),
    removed: Object.keys(old)
      .filter((path) => after.files[path] === undefined)
      .sort(),
    changed: paths.filter((path) => old[path] !== undefined && old[path].sha256 !== after.files[path]?.sha256),
  };
}

/**
 * Names in each folder, by the folder's path; those of folders end with a slash. Links without a
 * target and empty folders count.
 */
function foldersOf(snapshot: Snapshot | null): Map<string, Set<string>> {
  const { files = {}, folders: kept = {}, links = {} } = snapshot ?? {};
  const folders = new Map<string, Set<string>>();
  const add = (path: string, suffix = '') => {
    let name = posix.basename(path) + suffix;
    let folder = posix.dirname(path);
    while (folder !== '.') {
      const names = folders.get(folder);
      if (names?.has(name)) break;
      if (names) names.add(name);
      else folders.set(folder, new Set([name]));
      name = `${posix.basename(folder)}/`;
      folder = posix.dirname(folder);
    }
  };
  for (const path of Object.keys(files)) add(path);
  for (const path of Object.keys(kept)) {
    add(path, '/');
    if (!folders.has(path)) folders.set(path, new Set());
  }
  for (const path of Object.keys(links)) if (!(path in files || folders.has(path))) add(path);
  return folders;
}
