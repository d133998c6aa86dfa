/** Reads and writes the bytes of a WebAssembly module. */

/** A cursor over bytes. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  readByte(): number {
    const byte = this.bytes[this.at] ?? 0;
    this.at += 1;
    return byte;
  }

  /** Reads an unsigned LEB128 number. */
  readNumber(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.readByte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** Skips that many LEB128 numbers of any sign and size; returns 0. */
  skipNumbers(count: number): number {
    for (let left = count; left > 0; left -= 1) while (this.readByte() >= 0x80);
    return 0;
  }

  /** Skips that many bytes; returns 0. */
  skip(count: number): number {
    this.at += count;
    return 0;
  }

  /** Reads a vector of bytes. */
  readVector(): Uint8Array {
    const length = this.readNumber();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** Encodes a number as unsigned LEB128. */
export function numberBytes(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...numberBytes(Math.floor(value / 128))];
}

/** Encodes a number as unsigned LEB128 with the length of the largest 32-bit number. */
export function wideNumberBytes(value: number): readonly number[] {
  return [0, 7, 14, 21].map((bits) => ((value >>> bits) & 0x7f) | 0x80).concat(value >>> 28);
}

/** Encodes a non-negative number as signed LEB128. */
export function encodeSigned(value: number): readonly number[] {
  return value < 64 ? [value] : [(value % 128) | 128, ...encodeSigned(Math.floor(value / 128))];
}

/** Collects bytes that are written in pieces. */
export class ByteWriter {
  #bytes = new Uint8Array(1 << 16);
  length = 0;

  write(bytes: ArrayLike<number>): void {
    const end = this.length + bytes.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.length);
    this.length = end;
  }

  /** The bytes written so far; valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}
