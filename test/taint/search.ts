import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Marks } from './marks.ts';

/** A secret at a place. */
export interface Sighting {
  readonly mark: string;
  /** Such as `row documents`, `blob packs/…`, `log`, `answer console GET /… of Viewers`. */
  readonly sink: string;
}

const TAR_BLOCK = 512;
/** Bytes from which on pages of zeros are left out. */
const MANY = 1024 * 1024;
const ZEROS = Buffer.alloc(8192);
const GZIP_IN_BASE64 = /H4sI[A-Za-z0-9+/]{40,}={0,2}/g;

/** Looks for marks in places, within compressed data and archives, too. */
export class Search {
  readonly #marks: Marks;
  /** Bytes that were searched, by the first word of the place. */
  readonly bytes = new Map<string, number>();
  readonly #found = new Map<string, Sighting>();

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  get sightings(): readonly Sighting[] {
    return [...this.#found.values()];
  }

  look(sink: string, data: Uint8Array | string): void {
    const bytes = dropZeros(Buffer.from(data));
    const kind = sink.split(' ')[0] ?? '';
    this.bytes.set(kind, (this.bytes.get(kind) ?? 0) + bytes.length);
    for (const mark of this.#marks.findIn(bytes)) this.#found.set(`${mark}\n${sink}`, { mark, sink });
    for (const within of unpack(bytes)) this.look(sink, within);
  }

  /** All files below a folder; `sinkOf` names the place of one. */
  lookBelow(folder: string, sinkOf: (path: string) => string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && statSync(path).size > 0) this.look(sinkOf(relative(folder, path)), readFileSync(path));
    }
  }

  /** All rows of a SQLite database, by table. */
  lookAtRows(file: string): void {
    const database = new DatabaseSync(file, { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) {
      for (const row of database.prepare(`SELECT * FROM "${name}"`).iterate()) {
        for (const value of Object.values(row)) {
          if (value instanceof Uint8Array || typeof value === 'string') this.look(`row ${name}`, value);
        }
      }
    }
    database.close();
  }

  /** The members of a gzipped tar archive. */
  lookAtArchive(sinkOf: (path: string) => string, archive: Uint8Array): void {
    const bytes = gunzipSync(archive);
    for (let at = 0; at + TAR_BLOCK <= bytes.length && bytes[at] !== 0; ) {
      const name = bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
      const size = Number.parseInt(bytes.toString('ascii', at + 124, at + 136), 8);
      this.look(sinkOf(name), bytes.subarray(at + TAR_BLOCK, at + TAR_BLOCK + size));
      at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
    }
  }
}

/** Files of PostgreSQL's log are mostly zeros, which take as long to search as anything else. */
function dropZeros(bytes: Buffer): Buffer {
  if (bytes.length < MANY) return bytes;
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const page = bytes.subarray(at, at + ZEROS.length);
    if (!page.equals(ZEROS)) kept.push(page);
  }
  return Buffer.concat(kept);
}

/** What compressed data hold: bytes that are compressed as a whole, and gzip in Base64. */
function unpack(bytes: Buffer): readonly Uint8Array[] {
  const whole = decompress(bytes);
  if (whole !== null) return [whole];
  if (!bytes.includes('H4sI')) return [];
  return [...bytes.toString('latin1').matchAll(GZIP_IN_BASE64)].flatMap(
    ([text]) => decompress(Buffer.from(text, 'base64')) ?? [],
  );
}

/** Null for what is not compressed. Files of blobs have a checksum behind the data. */
function decompress(bytes: Buffer): Uint8Array | null {
  if (bytes.length < 8) return null;
  const magic = bytes.readUInt32BE(0);
  if (magic >>> 8 === 0x1f8b08) return attempt(bytes, gunzipSync);
  if (magic === 0x28b52ffd) return attempt(bytes, zstdDecompressSync);
  // Brotli has no mark; text does not look like it.
  return bytes[0] !== undefined && /[\t\n\r -~]/.test(String.fromCharCode(bytes[0])) && !hasControls(bytes)
    ? null
    : attempt(bytes, brotliDecompressSync);
}

function hasControls(bytes: Buffer): boolean {
  return bytes.subarray(0, 200).some((byte) => byte < 9);
}

function attempt(bytes: Buffer, decode: (bytes: Uint8Array) => Uint8Array): Uint8Array | null {
  for (const end of [bytes.length - 4, bytes.length]) {
    try {
      return decode(bytes.subarray(0, end));
    } catch {
      // The other length, or no such data.
    }
  }
  return null;
}
