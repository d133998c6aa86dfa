import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { BlobCache } from '../ports/blob-store.ts';

/** Lambda offers 512 MB in `/tmp`; Ruby's image may use it, too. */
const DEFAULT_BYTES = 256 * 1024 * 1024;

/** A blob cache in a folder, bounded by bytes; the least recently used blobs go first. */
export class FolderCache implements BlobCache {
  readonly #folder: string;
  readonly #limit: number;

  constructor(folder: string, limit = DEFAULT_BYTES) {
    this.#folder = folder;
    this.#limit = limit;
  }

  async get(name: string): Promise<Uint8Array | null> {
    const path = join(this.#folder, name);
    const now = new Date();
    try {
      const bytes = await readFile(path);
      await utimes(path, now, now);
      return bytes;
    } catch (error) {
      return ignoreSystemError(error);
    }
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > this.#limit) return;
    const draft = join(this.#folder, `${randomBytes(8).toString('hex')}.draft`);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await this.#makeRoom(bytes.length);
      await writeFile(draft, bytes, { mode: 0o600 });
      await rename(draft, join(this.#folder, name));
    } catch (error) {
      ignoreSystemError(error);
      await rm(draft, { force: true }).catch(ignoreSystemError);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#folder, name), { force: true }).catch(ignoreSystemError);
  }

  async #makeRoom(needed: number): Promise<void> {
    const names = await readdir(this.#folder);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const known = await stat(path).catch(ignoreSystemError);
        return known ? [{ path, size: known.size, usedAt: known.mtimeMs }] : [];
      }),
    );
    const oldestFirst = found.flat().sort((a, b) => a.usedAt - b.usedAt);
    let used = oldestFirst.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of oldestFirst) {
      if (used + needed <= this.#limit) return;
      await rm(path, { force: true });
      used -= size;
    }
  }
}

/** The bytes of a set. All names of one are read for each blob that is kept. */
const SET_BYTES = 8 * 1024 * 1024;

/**
 * A folder cache for many blobs, in sets of 8 MB by their names: whoever makes room looks at one
 * set alone. Any number of threads may use it.
 */
export class LargeFolderCache implements BlobCache {
  readonly #sets: readonly FolderCache[];

  constructor(folder: string, limit: number) {
    const count = Math.max(1, Math.floor(limit / SET_BYTES));
    this.#sets = Array.from(
      { length: count },
      (_, number) => new FolderCache(join(folder, `${number}`), limit / count),
    );
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.#setOf(name).get(name);
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#setOf(name).put(name, bytes);
  }

  remove(name: string): Promise<void> {
    return this.#setOf(name).remove(name);
  }

  #setOf(name: string): FolderCache {
    const set = this.#sets[crc32(name) % this.#sets.length];
    if (set === undefined) throw new Error('invariant: a cache has a set');
    return set;
  }
}

function ignoreSystemError(error: unknown): null {
  if (error instanceof Error && 'syscall' in error) return null;
  throw error;
}
