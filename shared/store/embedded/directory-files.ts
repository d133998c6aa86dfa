import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreRefused } from '../ports/store-errors.ts';

/** The database of a data directory, its folder of blobs, and the file that seals the CA's key. */
export const DATABASE = 'understudy.db';
export const BLOBS = 'blobs';
export const KEY_FILE = 'ca-key-file';
/** The file that seals what code of modules keeps between compiles. */
export const VALUES_KEY_FILE = 'values-key-file';

/**
 * Refuses a directory whose database is gone while what belongs to it is there: a new one would
 * have no nodes, and another certificate authority. Throws StoreRefused.
 */
export function assertDatabaseIsThere(directory: string): void {
  if ((statSync(join(directory, DATABASE), { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const left = [
    ...(hasFiles(join(directory, BLOBS)) ? ['blobs'] : []),
    ...(statSync(join(directory, KEY_FILE), { throwIfNoEntry: false }) ? [`a ${KEY_FILE}`] : []),
  ];
  if (left.length === 0) return;
  throw new StoreRefused(
    `data directory '${directory}' has ${left.join(' and ')}, but ${DATABASE} is missing or empty: ` +
      "restore a backup ('understudy restore'), or move the directory away to start with a new certificate authority",
  );
}

function hasFiles(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isFile() || (entry.isDirectory() && hasFiles(join(folder, entry.name))),
  );
}
