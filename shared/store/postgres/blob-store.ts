import { crc32 } from 'node:zlib';
import type { BlobPage, BlobStore, BlobStream, ByteRange } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { numberOfColumn, type Row, type SqlConnection, textOfColumn } from '../sql/connection.ts';

/** A row has at most so many bytes of a blob: all of it is in memory at a time. */
const CHUNK = 1024 * 1024;
const KEYS_A_PAGE = 1000;
/** Reads of a blob that others write meanwhile. */
const MOST_READS = 5;
/** Sorts after every character of a key. */
const BEHIND_ALL = '\u{10ffff}';
/** Most blobs have one chunk. */
const WITH_FIRST_CHUNK = `SELECT b.version, b.size, c.bytes, c.crc FROM blobs b
  LEFT JOIN blob_chunks c ON c.version = b.version AND c.number = 0 WHERE b.key = ?`;

/** Bytes of one version of a blob. */
interface StoredBlob {
  readonly key: string;
  readonly version: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * Stores blobs in the database, in chunks with a checksum. A blob that is written over gets a new
 * version: who reads the old one begins again. A damaged blob counts as absent, and is reported.
 */
export class PostgresBlobStore implements BlobStore {
  readonly #database: SqlConnection;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #reportDamage: (key: string) => void;

  constructor(database: SqlConnection, clock: Pick<Clock, 'now'>, reportDamage: (key: string) => void) {
    this.#database = database;
    this.#clock = clock;
    this.#reportDamage = reportDamage;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#put(key, bytes, false);
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.has(key))) await this.#put(key, bytes, true);
  }

  async #put(key: string, bytes: Uint8Array, isCreated: boolean): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      const next = await on.get("SELECT nextval('blob_versions') AS version");
      const version = numberOfColumn(next ?? {}, 'version');
      for (let number = 0; number * CHUNK < bytes.length; number += 1) {
        const chunk = bytes.subarray(number * CHUNK, (number + 1) * CHUNK);
        const sql = 'INSERT INTO blob_chunks (version, number, bytes, crc) VALUES (?, ?, ?, ?)';
        await on.run(sql, version, number, chunk, checksumOf(version, number, chunk));
      }
      const entry = [version, bytes.length, this.#clock.now(), key] as const;
      const create = 'INSERT INTO blobs (version, size, put_at, key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
      while ((await on.run(create, ...entry)) === 0) {
        if (isCreated) return dropChunks(on, version);
        const old = await on.get('SELECT version FROM blobs WHERE key = ? FOR UPDATE', key);
        // It was deleted meanwhile.
        if (old === null) continue;
        await on.run('UPDATE blobs SET version = ?, size = ?, put_at = ? WHERE key = ?', ...entry);
        return dropChunks(on, numberOfColumn(old, 'version'));
      }
    });
  }

  async get(key: string): Promise<Uint8Array | null> {
    for (let read = 1; read <= MOST_READS; read += 1) {
      const row = await this.#database.get(WITH_FIRST_CHUNK, key);
      if (row === null) return null;
      const blob = { key, version: numberOfColumn(row, 'version'), size: numberOfColumn(row, 'size') };
      const bytes = await this.#readAll(blob, row);
      if (bytes !== null) return bytes;
      const again = await this.#find(key);
      if (again?.version !== blob.version) continue;
      this.#reportDamage(key);
      return null;
    }
    throw new StoreUnavailable(`blob ${key} is written too often to be read`);
  }

  async stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    const blob = await this.#find(key);
    if (blob === null) return null;
    const { start, end } = range ?? { start: 0, end: blob.size };
    let position = start;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      if (position < end) {
        const number = Math.floor(position / CHUNK);
        const chunk = await this.#readChunk(blob, number);
        if (chunk === null) throw new StoreUnavailable(`blob ${key} was written over, or is damaged`);
        const part = chunk.subarray(position - number * CHUNK, end - number * CHUNK);
        position += part.length;
        controller.enqueue(new Uint8Array(part));
      }
      if (position >= end) controller.close();
    };
    return { size: blob.size, body: new ReadableStream({ pull }, { highWaterMark: 0 }) };
  }

  async has(key: string): Promise<boolean> {
    return (await this.#find(key)) !== null;
  }

  async delete(key: string): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      const row = await on.get('DELETE FROM blobs WHERE key = ? RETURNING version', key);
      if (row !== null) await dropChunks(on, numberOfColumn(row, 'version'));
    });
  }

  async list(prefix: string, after = ''): Promise<BlobPage> {
    const isFolder = prefix.endsWith('/');
    const sql = isFolder
      ? 'SELECT key, size, put_at FROM blobs WHERE key > ? AND key > ? AND key < ? ORDER BY key LIMIT ?'
      : 'SELECT key, size, put_at FROM blobs WHERE key = ?';
    const parameters = isFolder ? [prefix, after, prefix + BEHIND_ALL, KEYS_A_PAGE] : [prefix];
    const rows = await this.#database.selectAll(sql, ...parameters);
    const entries = rows.map((row) => ({
      key: textOfColumn(row, 'key'),
      size: numberOfColumn(row, 'size'),
      putAt: numberOfColumn(row, 'put_at'),
    }));
    return { entries, next: rows.length < KEYS_A_PAGE ? null : (entries.at(-1)?.key ?? null) };
  }

  async #find(key: string): Promise<StoredBlob | null> {
    const row = await this.#database.get('SELECT version, size FROM blobs WHERE key = ?', key);
    return row && { key, version: numberOfColumn(row, 'version'), size: numberOfColumn(row, 'size') };
  }

  /** Null when a chunk is missing or damaged. `first` is the row of the first chunk. */
  async #readAll(blob: StoredBlob, first: Row): Promise<Uint8Array | null> {
    if (blob.size <= CHUNK) return blob.size === 0 ? new Uint8Array() : chunkOf(blob, 0, first);
    const bytes = new Uint8Array(blob.size);
    for (let number = 0; number * CHUNK < blob.size; number += 1) {
      const chunk = number === 0 ? chunkOf(blob, 0, first) : await this.#readChunk(blob, number);
      if (chunk === null) return null;
      bytes.set(chunk, number * CHUNK);
    }
    return bytes;
  }

  async #readChunk(blob: StoredBlob, number: number): Promise<Uint8Array | null> {
    const sql = 'SELECT bytes, crc FROM blob_chunks WHERE version = ? AND number = ?';
    return chunkOf(blob, number, await this.#database.get(sql, blob.version, number));
  }
}

/** The bytes of a chunk's row; null when they are missing or damaged. */
function chunkOf({ version, size }: StoredBlob, number: number, row: Row | null): Uint8Array | null {
  const chunk = bytesOf(row);
  const isWhole = chunk?.length === Math.min(CHUNK, size - number * CHUNK);
  return chunk && isWhole && row?.crc === checksumOf(version, number, chunk) ? chunk : null;
}

function bytesOf(row: Row | null): Uint8Array | null {
  return row?.bytes instanceof Uint8Array ? row.bytes : null;
}

/** The place is part of it: an exchanged chunk is found, too. */
function checksumOf(version: number, number: number, chunk: Uint8Array): number {
  return crc32(chunk, crc32(`${version}.${number}.`));
}

async function dropChunks(on: SqlConnection, version: number): Promise<void> {
  await on.run('DELETE FROM blob_chunks WHERE version = ?', version);
}
