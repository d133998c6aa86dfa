import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { access, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { BlobEntry, BlobPage, BlobStore, BlobStream, ByteRange } from '../ports/blob-store.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { unusableDirectoryError } from './database-errors.ts';
import { BLOBS } from './directory-files.ts';
import { makeFolder } from './folder.ts';
import { adviseOwner, giveFileToOwnerOf, giveToFolderOwner } from './folder-owner.ts';

/** Transient file system errors: a retry can succeed. */
const TRANSIENT = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'ENOMEM']);

/** Chunk size of a stream in bytes. */
const CHUNK = 64 * 1024;

/**
 * Stores blobs as files in `<directory>/blobs`. A write is atomic and durable: the file is renamed
 * into place after fsync, and its folder is synced then.
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
    const path = this.#resolvePath(key);
    await this.#guard(async () => {
      const unfinished = join(this.#unfinished, randomBytes(12).toString('hex'));
      try {
        await writeSynced(unfinished, bytes, this.#directory);
        const folder = dirname(path);
        const made = await mkdir(folder, { recursive: true, mode: 0o700 });
        if (made !== undefined) giveBelow(made, folder);
        await rename(unfinished, path);
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
    return this.#guard(() => readFile(this.#resolvePath(key)).catch(nullWhenMissing));
  }

  stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    return this.#guard(async () => {
      const file = await open(this.#resolvePath(key), 'r').catch(nullWhenMissing);
      if (file === null) return null;
      const { size } = await file.stat();
      return { size, body: this.#read(file, range ?? { start: 0, end: size }) };
    });
  }

  /** Streams the range, one chunk per read, and closes the file at its end. */
  #read(file: FileHandle, { start, end }: ByteRange): ReadableStream<Uint8Array<ArrayBuffer>> {
    let position = start;
    const next = async () => {
      const chunk = new Uint8Array(Math.min(CHUNK, end - position));
      if (chunk.length === 0) return null;
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) throw new StoreUnavailable(`data directory '${this.#directory}': a blob is truncated`);
      position += bytesRead;
      return chunk.subarray(0, bytesRead);
    };
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      try {
        const chunk = await this.#guard(next);
        if (chunk !== null) controller.enqueue(chunk);
        if (position < end) return;
        controller.close();
        await file.close();
      } catch (error) {
        await file.close();
        throw error;
      }
    };
    return new ReadableStream({ pull, cancel: () => file.close() }, { highWaterMark: 0 });
  }

  async has(key: string): Promise<boolean> {
    const path = this.#resolvePath(key);
    return this.#guard(async () => (await access(path).catch(nullWhenMissing)) !== null);
  }

  async delete(key: string): Promise<void> {
    await this.#guard(() => rm(this.#resolvePath(key), { force: true }));
  }

  /** One page is one folder; `next` is the number of folders listed so far. */
  list(prefix: string, after = '0'): Promise<BlobPage> {
    return this.#guard(async () => {
      const root = this.#resolvePath(prefix.replace(/\/$/, ''));
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
    for (const one of (await readdir(folder, { withFileTypes: true }).catch(nullWhenMissing)) ?? []) {
      if (!one.isFile()) continue;
      const path = join(folder, one.name);
      const entry = await this.#readEntry(path, relative(this.#blobs, path).split(sep).map(decodeSegment).join('/'));
      if (entry) found.push(entry);
    }
    return found;
  }

  async #readEntry(path: string, key: string): Promise<BlobEntry | null> {
    const found = await stat(path).catch(nullWhenMissing);
    return found?.isFile() ? { key, size: found.size, putAt: Math.floor(found.mtimeMs) } : null;
  }

  /** Encodes every segment, so that no key can leave the folder. */
  #resolvePath(key: string): string {
    const segments = key.split('/').map((segment) => encodeURIComponent(segment).replace(/^\.{0,2}$/, '%$&'));
    return join(this.#blobs, ...segments);
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

/** Decodes a segment that `#resolvePath` encoded. */
function decodeSegment(segment: string): string {
  return /^%\.{0,2}$/.test(segment) ? segment.slice(1) : decodeURIComponent(segment);
}

function nullWhenMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
