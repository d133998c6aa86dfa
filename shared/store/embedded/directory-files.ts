import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreRefused } from '../ports/store-errors.ts';
import { giveToFolderOwner } from './folder-owner.ts';

/**
 * Its lock is held by the server of a data directory, whose process number is in the other file.
 */
export const SERVER_LOCK = 'server.lock';
export const SERVER_PID = 'server.pid';

/** The database of a data directory, its folder of blobs, and the file that seals the CA's key. */
export const DATABASE = 'understudy.db';
export const BLOBS = 'blobs';
/** The copies of blobs that a server over a database read. */
export const BLOB_CACHE = 'blob-cache';
export const KEY_FILE = 'ca-key-file';
/** The damage that was found; see `damage-log.ts`. */
export const DAMAGE_FOUND = 'damage-found';
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

/**
 * Creates an empty database, which SQLite takes for a new one. A file that root creates belongs to
 * the owner of the directory, and SQLite gives its own files to the owner of the database.
 */
export function makeDatabaseFile(path: string): void {
  if (existsSync(path)) return;
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another process created it first.
    if (!existsSync(path)) throw error;
  }
  giveToFolderOwner(path);
}

function hasFiles(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isFile() || (entry.isDirectory() && hasFiles(join(folder, entry.name))),
  );
}
