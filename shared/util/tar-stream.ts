/** A file of a tar archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The archive cannot be read; the message says why. */
export class DamagedArchive extends Error {
  override readonly name = 'DamagedArchive';
}

const BLOCK = 512;
const LONGEST_NAME = 100;
/** Headers of names: those of long names have no more bytes. */
const MOST_NAME_BYTES = 64 * 1024;

/** The end of an archive. */
export const TAR_END: Uint8Array = new Uint8Array(2 * BLOCK);

/** A file in the form of an archive: POSIX (pax) where its name is long, else ustar. */
export function packEntry({ name, bytes }: TarEntry, at: number): Buffer {
  const isLong = Buffer.byteLength(name) > LONGEST_NAME || /[^\x20-\x7e]/.test(name);
  const path = isLong ? packBlock('PaxHeaders/name', 'x', Buffer.from(describePath(name)), at) : Buffer.alloc(0);
  const short = isLong
    ? Buffer.from(name)
        .subarray(0, LONGEST_NAME)
        .toString('latin1')
        .replace(/[^\x20-\x7e]/g, '_')
    : name;
  return Buffer.concat([path, packBlock(short, '0', bytes, at)]);
}

/** A record of a pax header begins with its own length. */
function describePath(name: string): string {
  const rest = ` path=${name}\n`;
  const size = Buffer.byteLength(rest);
  let digits = String(size).length;
  if (String(size + digits).length > digits) digits += 1;
  return `${size + digits}${rest}`;
}

function packBlock(name: string, type: string, bytes: Buffer, at: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, LONGEST_NAME);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes.length, 12), 124);
  header.write(octal(Math.floor(at / 1000), 12), 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

/**
 * The files of an archive, one at a time. Rejects with DamagedArchive; a file with more than
 * `mostBytes` is refused so.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<TarEntry> {
  const source = new ByteSource(chunks);
  try {
    let long: string | null = null;
    for (;;) {
      const header = await source.take(BLOCK);
      if (header === null || header.every((byte) => byte === 0)) return;
      const { name, type, size } = readHeader(header);
      const isName = type === 'x' || type === 'L';
      if (size > (isName ? MOST_NAME_BYTES : mostBytes)) {
        throw new DamagedArchive(`The entry '${long ?? name}' of the archive has more than ${mostBytes} bytes`);
      }
      const padded = await source.take(size + ((BLOCK - (size % BLOCK)) % BLOCK));
      if (padded === null) throw new DamagedArchive('The archive ends within an entry');
      const bytes = padded.subarray(0, size);
      if (isName) long = (type === 'L' ? textOf(bytes) : findPath(bytes)) ?? long;
      else {
        if (type === '0' || type === '\0') yield { name: long ?? name, bytes };
        long = null;
      }
    }
  } finally {
    await source.close();
  }
}

function readHeader(header: Buffer): { readonly name: string; readonly type: string; readonly size: number } {
  const number = (from: number, to: number) => Number.parseInt(textOf(header.subarray(from, to)).trim(), 8);
  const [size, sum] = [number(124, 136), number(148, 156)];
  if (sum !== sumOf(header) || !Number.isSafeInteger(size) || size < 0) {
    throw new DamagedArchive('The body is no tar archive, compressed with gzip');
  }
  const prefix = textOf(header.subarray(257, 262)) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, LONGEST_NAME));
  return { name: prefix === '' ? name : `${prefix}/${name}`, type: String.fromCharCode(header[156] ?? 0), size };
}

/** The text before the first NUL. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** The path of a pax header; null without one. */
function findPath(bytes: Buffer): string | null {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const size = Number(bytes.toString('latin1', at, Math.max(space, at)));
    if (space < 0 || !Number.isSafeInteger(size) || size <= 0) return null;
    const record = bytes.toString('utf8', space + 1, at + size - 1);
    if (record.startsWith('path=')) return record.slice('path='.length);
    at += size;
  }
  return null;
}

/** Bytes that come in chunks, taken in pieces of any size. */
class ByteSource {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #size = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#iterator = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes; null when there are fewer. */
  async take(count: number): Promise<Buffer | null> {
    while (this.#size < count) {
      const { value, done } = await this.#iterator.next();
      if (done === true) return null;
      this.#held.push(value);
      this.#size += value.byteLength;
    }
    const all = Buffer.concat(this.#held);
    this.#held = [all.subarray(count)];
    this.#size = all.length - count;
    return all.subarray(0, count);
  }

  async close(): Promise<void> {
    await this.#iterator.return?.();
  }
}
