import { createHash } from 'node:crypto';
import { PREFIXES } from '../config/deployment.ts';
import type { BlobCache, BlobPage, BlobStore, BlobStream, ByteRange } from './ports/blob-store.ts';
import { StoreUnavailable } from './ports/store-errors.ts';

/** A part of a blob is kept by itself: all of it is in memory at a time. */
const PART = 1024 * 1024;
/** Before the bytes of a part: their digest, and the size of the whole blob. */
const [DIGEST_BYTES, SIZE_BYTES] = [32, 8];
const HEAD_BYTES = DIGEST_BYTES + SIZE_BYTES;

const { files, packs, packages, snapshots, jobs, damaged } = PREFIXES;
/** Keys whose content never changes. The code of a catalog may: its name leaves that out. */
const NAMED_BY_CONTENT = new RegExp(`^(?:${files}|${packs}|${packages}|${snapshots}|${jobs}\\w+/files/)[0-9a-f]{64}$`);

/** Bytes of a part, and the size of its blob. */
interface Part {
  readonly size: number;
  readonly bytes: Uint8Array;
}

/**
 * Reads blobs that their content names through a cache on this machine, in parts of 1 MB. A part
 * that is damaged in the cache is read again. Callers that ask for the same at once share one read.
 * While the cache cannot be read or written, because its disk is full or otherwise, all reads are
 * those of the store. `has` and `list` always ask the store.
 */
export class CachedBlobs implements BlobStore {
  readonly #store: BlobStore;
  readonly #cache: BlobCache;
  readonly #wholes = new SharedCalls<Uint8Array | null>();
  readonly #parts = new SharedCalls<Part | null>();

  constructor(store: BlobStore, cache: BlobCache) {
    [this.#store, this.#cache] = [store, cache];
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#store.put(key, bytes);
    await this.#drop(key);
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<void> {
    // A reader reports that the content of this file is not that of its name.
    if (key.startsWith(damaged)) await this.#drop(files + key.slice(damaged.length));
    await this.#store.putIfAbsent(key, bytes);
  }

  async get(key: string): Promise<Uint8Array | null> {
    if (!NAMED_BY_CONTENT.test(key)) return this.#store.get(key);
    return (await this.#getKept(key)) ?? this.#wholes.share(key, () => this.#fetchWhole(key));
  }

  async stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    if (!NAMED_BY_CONTENT.test(key)) return this.#store.stream(key, range);
    const first = await this.#readPart(key, 0, () => this.#fetchFirst(key));
    if (first === null) return null;
    const { size } = first;
    const { start, end } = range ?? { start: 0, end: size };
    let position = start;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      if (position < end) {
        const number = Math.floor(position / PART);
        const part = number === 0 ? first : await this.#readPart(key, number, () => this.#fetchPart(key, number, size));
        if (part === null) throw new StoreUnavailable(`blob ${key} was deleted, or is damaged`);
        const bytes = part.bytes.subarray(position - number * PART, end - number * PART);
        position += bytes.length;
        controller.enqueue(new Uint8Array(bytes));
      }
      if (position >= end) controller.close();
    };
    return { size, body: new ReadableStream({ pull }, { highWaterMark: 0 }) };
  }

  has(key: string): Promise<boolean> {
    return this.#store.has(key);
  }

  async delete(key: string): Promise<void> {
    await this.#store.delete(key);
    await this.#drop(key);
  }

  list(prefix: string, after?: string): Promise<BlobPage> {
    return this.#store.list(prefix, after);
  }

  /** Null unless all parts are kept. */
  async #getKept(key: string): Promise<Uint8Array | null> {
    const first = await this.#findKept(key, 0);
    if (first === null || first.size <= PART) return first?.bytes ?? null;
    const bytes = new Uint8Array(first.size);
    for (let number = 0; number * PART < first.size; number += 1) {
      const part = number === 0 ? first : await this.#findKept(key, number);
      if (part?.size !== first.size) return null;
      bytes.set(part.bytes, number * PART);
    }
    return bytes;
  }

  async #fetchWhole(key: string): Promise<Uint8Array | null> {
    const bytes = await this.#store.get(key);
    if (bytes === null) return null;
    for (let number = 0; number === 0 || number * PART < bytes.length; number += 1) {
      const part = bytes.subarray(number * PART, (number + 1) * PART);
      await this.#cache.put(nameOfPart(key, number), sealPart({ size: bytes.length, bytes: part }, key, number));
    }
    return bytes;
  }

  #readPart(key: string, number: number, fetch: () => Promise<Part | null>): Promise<Part | null> {
    const name = nameOfPart(key, number);
    return this.#parts.share(name, async () => {
      const kept = await this.#findKept(key, number);
      if (kept !== null) return kept;
      const part = await fetch();
      if (part !== null) await this.#cache.put(name, sealPart(part, key, number));
      return part;
    });
  }

  async #findKept(key: string, number: number): Promise<Part | null> {
    const kept = await this.#cache.get(nameOfPart(key, number));
    return kept && openPart(kept, key, number);
  }

  /** The first part. The rest of its stream is not read: that would be in vain for many a range. */
  async #fetchFirst(key: string): Promise<Part | null> {
    const stream = await this.#store.stream(key);
    return stream && { size: stream.size, bytes: await readStart(stream.body, Math.min(PART, stream.size)) };
  }

  /** Null when the blob ends before the part: others wrote it meanwhile. */
  async #fetchPart(key: string, number: number, size: number): Promise<Part | null> {
    const range = { start: number * PART, end: Math.min((number + 1) * PART, size) };
    const stream = await this.#store.stream(key, range);
    if (stream?.size !== size) return null;
    return { size, bytes: await readStart(stream.body, range.end - range.start) };
  }

  /** Later parts are of no use without the first. */
  async #drop(key: string): Promise<void> {
    if (NAMED_BY_CONTENT.test(key)) await this.#cache.remove(nameOfPart(key, 0));
  }
}

/** Calls for one thing that wait for the same answer. */
class SharedCalls<T> {
  readonly #calls = new Map<string, Promise<T>>();

  share(name: string, call: () => Promise<T>): Promise<T> {
    const known = this.#calls.get(name);
    if (known !== undefined) return known;
    const made = call().finally(() => this.#calls.delete(name));
    this.#calls.set(name, made);
    return made;
  }
}

function nameOfPart(key: string, number: number): string {
  return `${key.replaceAll('/', '-')}.${number}`;
}

function sealPart({ size, bytes }: Part, key: string, number: number): Uint8Array {
  const sealed = Buffer.alloc(HEAD_BYTES + bytes.length);
  sealed.writeDoubleBE(size, DIGEST_BYTES);
  sealed.set(bytes, HEAD_BYTES);
  digestPart(sealed, key, number).copy(sealed);
  return sealed;
}

/** Null for a damaged part. */
function openPart(sealed: Uint8Array, key: string, number: number): Part | null {
  if (sealed.length < HEAD_BYTES) return null;
  if (!digestPart(sealed, key, number).equals(sealed.subarray(0, DIGEST_BYTES))) return null;
  const size = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).readDoubleBE(DIGEST_BYTES);
  return { size, bytes: sealed.subarray(HEAD_BYTES) };
}

/** The place is part of it: an exchanged part is found, too. */
function digestPart(sealed: Uint8Array, key: string, number: number): Buffer {
  return createHash('sha256').update(nameOfPart(key, number)).update(sealed.subarray(DIGEST_BYTES)).digest();
}

/** Reads so many bytes. Throws StoreUnavailable for a stream that ends before. */
async function readStart(body: ReadableStream<Uint8Array>, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let read = 0;
  const reader = body.getReader();
  while (read < length) {
    const { value, done } = await reader.read();
    if (done) throw new StoreUnavailable('a blob is shorter than it should be');
    bytes.set(value.subarray(0, length - read), read);
    read += value.length;
  }
  await reader.cancel();
  return bytes;
}
