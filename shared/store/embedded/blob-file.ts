/**
 * The file of a blob: its bytes, and behind them the checksum of key and bytes. The name of such a
 * file ends in `@1`, which no encoded key has.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { noteDamage } from './damage/damage-log.ts';

/** Ends the names of blobs. */
export const CHECKED = '@1';
/** Ends the names of damaged files, which count as absent. */
export const SET_ASIDE = '@damaged';
/** Bytes of the checksum. */
export const CHECKSUM_BYTES = 4;

/** Appends the checksum of a key's bytes. */
export function addChecksum(key: string, bytes: Uint8Array): Uint8Array {
  const file = Buffer.allocUnsafe(bytes.length + CHECKSUM_BYTES);
  file.set(bytes);
  file.writeUInt32BE(crc32(bytes, crc32(key)), bytes.length);
  return file;
}

/** The bytes of a key's file; null when its checksum is that of others. */
export function checkFile(key: string, file: Buffer): Uint8Array | null {
  const length = file.length - CHECKSUM_BYTES;
  if (length < 0) return null;
  const bytes = file.subarray(0, length);
  return crc32(bytes, crc32(key)) === file.readUInt32BE(length) ? bytes : null;
}

/**
 * Computes the checksum of a file that arrives in chunks, and compares it with the one at its end.
 */
export class RunningChecksum {
  #sum: number;

  constructor(key: string) {
    this.#sum = crc32(key);
  }

  add(chunk: Uint8Array): void {
    this.#sum = crc32(chunk, this.#sum);
  }

  /** Whether the last bytes of the file are the checksum of what was added. */
  isThatOf(end: Uint8Array): boolean {
    return end.length === CHECKSUM_BYTES && Buffer.from(end).readUInt32BE(0) === this.#sum;
  }
}

/** The path of a key's file below `folder`, without its ending. No key leads out of the folder. */
export function pathOfKey(folder: string, key: string): string {
  const segments = key.split('/').map((segment) => encodeURIComponent(segment).replace(/^\.{0,2}$/, '%$&'));
  return join(folder, ...segments);
}

/** The key of a path that `pathOfKey` made, relative to the folder. */
export function keyOfPath(path: string): string {
  const decode = (segment: string) => (/^%\.{0,2}$/.test(segment) ? segment.slice(1) : decodeURIComponent(segment));
  return path.split('/').map(decode).join('/');
}

/** Logs and notes the damage. Renames the file, which counts as absent for all processes then. */
export async function setAside(path: string, key: string): Promise<void> {
  noteDamage(join(path, '../'.repeat(key.split('/').length + 1)), { kind: 'blob', name: key });
  console.warn(`Blob ${key} is damaged and counts as missing: its checksum is that of other content`);
  try {
    await rename(path + CHECKED, path + SET_ASIDE);
  } catch (error) {
    // A reader without the right to write: the next one sets it aside.
    if (codeOf(error) === null) throw error;
  }
}

/** Null when there is no such file or folder; other errors are thrown. */
export function nullWhenMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

/** The code of an error of the file system; null for other errors. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
