import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { unobserved, type WorkObserver } from '../../../util/work-observer.ts';
import { CHECKED, checkFile, keyOfPath, nullWhenMissing, SET_ASIDE, setAside } from '../blob-file.ts';
import { BLOBS } from '../directory-files.ts';

/**
 * Reads all blobs of a data directory; yields the keys of damaged ones, and of those that were set
 * aside and never stored again. With `forget`, the files of both are deleted.
 */
export async function* findDamagedBlobs(
  directory: string,
  forget: boolean,
  observe: WorkObserver = unobserved,
): AsyncGenerator<string> {
  const root = join(directory, BLOBS);
  let [read, all] = [0, 0];
  for await (const _ of filesBelow(root)) all += 1;
  for await (const path of filesBelow(root)) {
    read += 1;
    observe('reading blobs', read, all);
    const ending = [CHECKED, SET_ASIDE].find((one) => path.endsWith(one));
    if (ending === undefined) continue;
    const stem = path.slice(0, -ending.length);
    const key = keyOfPath(relative(root, stem));
    const file = await readFile(stem + CHECKED).catch(nullWhenMissing);
    const isSound = file !== null && checkFile(key, file) !== null;
    if (ending === CHECKED && file !== null && !isSound) await setAside(stem, key);
    if (ending === CHECKED ? file !== null && !isSound : file === null) yield key;
    if (forget && (ending === SET_ASIDE || !isSound)) await rm(stem + SET_ASIDE, { force: true });
  }
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(nullWhenMissing)) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}
