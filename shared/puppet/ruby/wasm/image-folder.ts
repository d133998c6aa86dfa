import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';

/** Number of files of other versions kept next to a new one. */
const KEPT = 3;
const CHECKSUM_BYTES = 4;

/**
 * Returns a folder for files that can be recreated at any time: next to the packages, or in the
 * system's temporary folder when that is not writable. Null when neither is usable. A folder that
 * other users can write to is rejected, because they could choose the code that runs.
 */
export function cacheFolder(): string | null {
  const packageFile = createRequire(import.meta.url).resolve('@ruby/3.2-wasm-wasi/dist/ruby.wasm');
  const beside = join(dirname(packageFile), '../../../.cache/understudy');
  const temporary = join(tmpdir(), `understudy-${userInfo().uid}`);
  return [beside, temporary].find(isOurs) ?? null;
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    const { uid, mode } = statSync(folder);
    return uid === userInfo().uid && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/**
 * Writes a file atomically, by way of a temporary file: a concurrent reader sees the old file or
 * none. Of the files with the same suffix only the newest are kept. Throws when the folder is not
 * writable.
 */
export function keepFile(path: string, content: Uint8Array): void {
  const draft = `${path}.${process.pid}.${threadId}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, path);
  const folder = dirname(path);
  const aged = readdirSync(folder)
    .filter((name) => extname(name) === extname(path))
    .map((name) => ({ name, age: -statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => a.age - b.age);
  for (const { name } of aged.slice(KEPT)) rmSync(join(folder, name), { force: true });
}

/** Like `keepFile`, but ignores failures: a full disk only makes the next start slower. */
export function keepFileIfPossible(path: string, content: Uint8Array): void {
  try {
    keepFile(path, content);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

/** Prepends the CRC-32 of a file's content. */
export function withChecksum(content: Uint8Array): Buffer {
  const file = Buffer.allocUnsafe(CHECKSUM_BYTES + content.length);
  file.writeUInt32LE(crc32(content));
  file.set(content, CHECKSUM_BYTES);
  return file;
}

/**
 * Returns the content of a file that `withChecksum` made; null when it is damaged or there is none.
 * Throws the system's error for an unreadable file.
 */
export function readChecked(path: string): Buffer<ArrayBuffer> | null {
  const file = statSync(path, { throwIfNoEntry: false }) && readFileSync(path);
  if (file === undefined || file.length <= CHECKSUM_BYTES) return null;
  const content = file.subarray(CHECKSUM_BYTES);
  return crc32(content) === file.readUInt32LE(0) ? content : null;
}
