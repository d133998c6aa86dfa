/** Reserved for each body; what is not written takes no memory. */
const LARGEST = 128 * 1024 ** 2;
/**
 * The memory that is kept for later bodies. The first write to fresh memory takes 5 ms a
 * megabyte where pages are dear, and a later one 0.1 ms (2026-11-28). `most: 0` switches it off.
 */
const KEPT = { most: 4, bytes: 8 * 1024 ** 2 };

/** Memory that threads share, in which a body grows. */
export class SharedMemory {
  readonly #free: SharedArrayBuffer[] = [];

  /** Memory of at least so many bytes. */
  take(bytes: number): SharedArrayBuffer {
    const kept = this.#free.pop();
    const maxByteLength = Math.max(LARGEST, bytes);
    if (kept === undefined || kept.maxByteLength < bytes) return new SharedArrayBuffer(bytes, { maxByteLength });
    grow(kept, bytes);
    return kept;
  }

  /** Gives back memory that no thread reads any more. */
  give(memory: SharedArrayBuffer): void {
    if (memory.byteLength <= KEPT.bytes && this.#free.length < KEPT.most) this.#free.push(memory);
  }
}

/** Writes bytes to a place; the memory grows as far as it has to. */
export function writeShared(memory: SharedArrayBuffer, bytes: Uint8Array, at: number): void {
  const end = at + bytes.byteLength;
  if (end > memory.byteLength) grow(memory, Math.min(memory.maxByteLength, Math.max(end, 2 * memory.byteLength)));
  new Uint8Array(memory, at, bytes.byteLength).set(bytes);
}

function grow(memory: SharedArrayBuffer, bytes: number): void {
  if (bytes > memory.byteLength) memory.grow(bytes);
}
