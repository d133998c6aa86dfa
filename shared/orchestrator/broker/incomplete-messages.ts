/** A connection with a message of which the end has not come yet. */
export interface IncompleteSource {
  /** Memory of its incomplete message; IncompleteMessages alone changes it. */
  incompleteBytes: number;
  /** Ends the connection, and frees what it holds soon after. */
  giveUp(): void;
}

/** Overhead of each chunk beside its bytes: a client may send one byte at a time. */
const CHUNK_BYTES = 256;

/**
 * Bounds the memory of incomplete messages over all connections. Beyond the bound, the connection
 * that holds most is given up, so that a client with many long messages does not lock out others.
 */
export class IncompleteMessages {
  readonly #mostBytes: number;
  readonly #sources = new Set<IncompleteSource>();
  #bytes = 0;
  /** Connections that were given up. */
  givenUp = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A chunk of `bytes` bytes came, and no message ended in it. */
  add(source: IncompleteSource, bytes: number): void {
    const added = bytes + CHUNK_BYTES;
    source.incompleteBytes += added;
    this.#bytes += added;
    this.#sources.add(source);
    if (this.#bytes > this.#mostBytes) this.#giveUpLargest();
  }

  /** A message ended, or the connection. */
  forget(source: IncompleteSource): void {
    if (!this.#sources.delete(source)) return;
    this.#bytes -= source.incompleteBytes;
    source.incompleteBytes = 0;
  }

  #giveUpLargest(): void {
    let largest: IncompleteSource | null = null;
    for (const source of this.#sources) {
      if (largest === null || source.incompleteBytes > largest.incompleteBytes) largest = source;
    }
    if (largest === null) return;
    this.forget(largest);
    this.givenUp += 1;
    largest.giveUp();
  }
}
