import { type FileHandle, open } from 'node:fs/promises';
import type { BlobStream, ByteRange } from '../ports/blob-store.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { CHECKED, CHECKSUM_BYTES, nullWhenMissing, RunningChecksum, setAside } from './blob-file.ts';

/** Chunk size of a stream in bytes. */
const CHUNK = 64 * 1024;

/** A blob's open file. */
interface OpenBlob {
  readonly key: string;
  /** Without its ending. */
  readonly path: string;
  readonly file: FileHandle;
  /** Bytes of the blob. */
  readonly size: number;
}

/** Translates errors of the file system. */
type Guard = <T>(work: () => Promise<T>) => Promise<T>;

/** Opens the file of a blob; null when there is none. `path` is that of `pathOfKey`. */
export async function openBlobFile(path: string, key: string): Promise<OpenBlob | null> {
  const file = await open(path + CHECKED, 'r').catch(nullWhenMissing);
  if (file === null) return null;
  const { size } = await file.stat();
  return { key, path, file, size: Math.max(0, size - CHECKSUM_BYTES) };
}

/**
 * Streams a blob, or a range of it, and closes its file at the end. The stream of a whole blob
 * fails in place of ending when its content is damaged. For a range, all of the file is read
 * first; the result is null when it is damaged.
 */
export async function streamBlob(
  blob: OpenBlob,
  range: ByteRange | undefined,
  guard: Guard,
): Promise<BlobStream | null> {
  const { key, path, file, size } = blob;
  const { start, end } = range ?? { start: 0, end: size };
  const isWhole = start === 0 && end === size;
  if (!isWhole && !(await isSound(blob))) {
    await file.close();
    await setAside(path, key);
    return null;
  }
  const sum = isWhole ? new RunningChecksum(key) : null;
  let position = start;
  const readNext = async () => {
    const chunk = await readChunk(blob, position, end);
    position += chunk.length;
    sum?.add(chunk);
    if (position < end || sum === null || sum.isThatOf(await readChecksum(blob))) return chunk;
    await setAside(path, key);
    throw new StoreUnavailable(`blob ${key} is damaged`);
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    try {
      const chunk = await guard(readNext);
      if (chunk.length > 0) controller.enqueue(chunk);
      if (position < end) return;
      controller.close();
      await file.close();
    } catch (error) {
      await file.close();
      throw error;
    }
  };
  return { size, body: new ReadableStream({ pull, cancel: () => file.close() }, { highWaterMark: 0 }) };
}

async function readChunk({ key, file }: OpenBlob, position: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunk = new Uint8Array(Math.min(CHUNK, end - position));
  if (chunk.length === 0) return chunk;
  const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
  if (bytesRead === 0) throw new StoreUnavailable(`blob ${key} is truncated`);
  return chunk.subarray(0, bytesRead);
}

async function readChecksum({ file, size }: OpenBlob): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(CHECKSUM_BYTES), 0, CHECKSUM_BYTES, size);
  return buffer.subarray(0, bytesRead);
}

/** Whether the whole file has its checksum. */
async function isSound(blob: OpenBlob): Promise<boolean> {
  const sum = new RunningChecksum(blob.key);
  for (let position = 0; position < blob.size; ) {
    const chunk = await readChunk(blob, position, blob.size);
    sum.add(chunk);
    position += chunk.length;
  }
  return sum.isThatOf(await readChecksum(blob));
}
