import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import type { BlobEntry, BlobPage, BlobStore, BlobStream, ByteRange } from '../ports/blob-store.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import {
  addChecksum,
  CHECKED,
  CHECKSUM_BYTES,
  checkFile,
  codeOf,
  keyOfPath,
  nullWhenMissing,
  pathOfKey,
  setAside,
} from './blob-file.ts';
import { openBlobFile, streamBlob } from './blob-stream.ts';
import { unusableDirectoryError } from './database-errors.ts';
import { BLOBS } from './directory-files.ts';
import { makeFolder } from './folder.ts';
import { adviseOwner, giveFileToOwnerOf, giveToFolderOwner } from './folder-owner.ts';

/** Transient file system errors: a retry can succeed. */
const TRANSIENT = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'ENOMEM']);

/**
 * Stores blobs as files in `<directory>/blobs`. A write is atomic and durable: the file is renamed
 * into place after fsync, and its folder is synced then. A damaged blob is set aside, and counts
 * as absent.
 */
export class EmbeddedBlobStore implements BlobStore {
  readonly #directory: string;
  readonly #blobs: string;
  readonly #unfinished: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#blobs = join(directory, BLOBS);
    this.#unfinished = join(directory, 'unfinished');
    try {
      for (const folder of [this.#blobs, this.#unfinished]) makeFolder(folder);
    } catch (error) {
      throw unusableDirectoryError(directory, error);
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = pathOfKey(this.#blobs, key);
    await this.#guard(async () => {
      const unfinished = join(this.#unfinished, randomBytes(12).toString('hex'));
      try {
        await writeSynced(unfinished, addChecksum(key, bytes), this.#directory);
        const folder = dirname(path);
        const made = await mkdir(folder, { recursive: true, mode: 0o700 });
        if (made !== undefined) giveBelow(made, folder);
        await rename(unfinished, path + CHECKED);
        await syncFolders(folder, made === undefined ? folder : dirname(made));
      } catch (error) {
        // Delete the partial file: the disk may be full.
        await rm(unfinished, { force: true });
        throw error;
      }
    });
  }

  /** Deletes partial files of interrupted writers that are older than `before`. */
  discardUnfinished(before: number): void {
    for (const name of readdirSync(this.#unfinished)) {
      const path = join(this.#unfinished, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found && found.mtimeMs < before) rmSync(path, { force: true });
    }
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.has(key))) await this.put(key, bytes);
  }

  get(key: string): Promise<Uint8Array | null> {
    return this.#guard(async () => {
      const path = pathOfKey(this.#blobs, key);
      const file = await readFile(path + CHECKED).catch(nullWhenMissing);
      if (file === null) return null;
      const bytes = checkFile(key, file);
      if (bytes !== null) return bytes;
      await setAside(path, key);
      return null;
    });
  }

  /** A whole blob's stream fails in place of ending when its content is damaged. */
  stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    return this.#guard(async () => {
      const blob = await openBlobFile(pathOfKey(this.#blobs, key), key);
      return blob && streamBlob(blob, range, (work) => this.#guard(work));
    });
  }

  async has(key: string): Promise<boolean> {
    const path = pathOfKey(this.#blobs, key);
    return this.#guard(async () => (await access(path + CHECKED).catch(nullWhenMissing)) !== null);
  }

  async delete(key: string): Promise<void> {
    await this.#guard(() => rm(pathOfKey(this.#blobs, key) + CHECKED, { force: true }));
  }

  /** One page is one folder; `next` is the number of folders listed so far. */
  list(prefix: string, after = '0'): Promise<BlobPage> {
    return this.#guard(async () => {
      const root = pathOfKey(this.#blobs, prefix.replace(/\/$/, ''));
      const single = prefix.endsWith('/') ? null : await this.#readEntry(root, prefix);
      if (!prefix.endsWith('/')) return { entries: single ? [single] : [], next: null };
      const folders = await foldersBelow(root);
      const index = Number(after);
      const entries = index < folders.length ? await this.#listEntries(folders[index] ?? root) : [];
      return { entries, next: index + 1 < folders.length ? String(index + 1) : null };
    });
  }

  async #listEntries(folder: string): Promise<readonly BlobEntry[]> {
    const found: BlobEntry[] = [];
    const files = (await readdir(folder, { withFileTypes: true }).catch(nullWhenMissing)) ?? [];
    for (const { name } of files) {
      if (!name.endsWith(CHECKED)) continue;
      const path = join(folder, name.slice(0, -CHECKED.length));
      const entry = await this.#readEntry(path, keyOfPath(relative(this.#blobs, path)));
      if (entry) found.push(entry);
    }
    return found;
  }

  async #readEntry(path: string, key: string): Promise<BlobEntry | null> {
    const found = await stat(path + CHECKED).catch(nullWhenMissing);
    if (!found?.isFile()) return null;
    return { key, size: Math.max(0, found.size - CHECKSUM_BYTES), putAt: Math.floor(found.mtimeMs) };
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      const what = `data directory '${this.#directory}': ${messageOf(error)}${adviseOwner(this.#directory, error)}`;
      throw TRANSIENT.has(code) ? new StoreUnavailable(what, error) : new StoreRefused(what, error);
    }
  }
}

async function writeSynced(path: string, bytes: Uint8Array, directory: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await giveFileToOwnerOf(directory, file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Gives the folders from `first` to `last` to the owner of the folder above; see
 * `giveToFolderOwner`.
 */
function giveBelow(first: string, last: string): void {
  if (first !== last) giveBelow(first, dirname(last));
  giveToFolderOwner(last);
}

/** Makes the entries of a folder, and of those above it up to `last`, durable. */
async function syncFolders(folder: string, last: string): Promise<void> {
  const file = await open(folder, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  if (folder !== last) await syncFolders(dirname(folder), last);
}

/** The folder and all folders below it, sorted; empty when it does not exist. */
async function foldersBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nullWhenMissing);
  if (entries === null) return [];
  const folders = entries.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name));
  return [folder, ...(await Promise.all(folders.sort().map(foldersBelow))).flat()];
}
