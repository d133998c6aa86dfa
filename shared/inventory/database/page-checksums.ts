import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of a page of PostgreSQL. */
const PAGE = 8192;
const PAGES_AT_ONCE = 16;
/** Pages of a file of a relation; the next file goes on with their numbers. */
const PAGES_OF_FILE = 131_072;
/** Offset of the checksum, and of the start of the free space at the end: 0 on an unused page. */
const [CHECKSUM_AT, UPPER_AT] = [8, 14];
/** A page that PGlite writes meanwhile is read again. */
const ATTEMPTS = 3;
/** Files of relations: tables, indexes, and their forks. */
const RELATION = /^\d+(_fsm|_vm|_init)?(\.\d+)?$/;
const PRIME = 16777619;
const ROUNDS = 2;
/** Starting values of the sums. PostgreSQL: src/include/storage/checksum_impl.h */
const BASES = [
  0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c, 0xf8d4474f,
  0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb, 0xe58f764b, 0x187636bc,
  0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4, 0x783125bb, 0x6ca8eaa2, 0xe407eac6,
  0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756,
] as const;

/** A file of a database with pages whose checksum is that of other content. */
interface DamagedFile {
  /** Below the database's folder. */
  readonly file: string;
  readonly pages: number;
}

/**
 * Reads all pages of the tables and indexes of a PostgreSQL folder, made with data checksums.
 * Yields the files with damaged pages, and those that end within a page.
 */
export async function* findDamagedPages(folder: string): AsyncGenerator<DamagedFile> {
  for (const file of await listRelations(folder)) {
    const pages = await countDamagedPages(join(folder, file), Number(/\.(\d+)$/.exec(file)?.[1] ?? 0));
    if (pages > 0) yield { file, pages };
  }
}

async function listRelations(folder: string): Promise<readonly string[]> {
  const databases = (await readdir(join(folder, 'base'))).map((name) => join('base', name));
  const found = await Promise.all(
    ['global', ...databases].map(async (parent) => {
      const names = await readdir(join(folder, parent));
      return names.filter((name) => RELATION.test(name)).map((name) => join(parent, name));
    }),
  );
  return found.flat();
}

async function countDamagedPages(path: string, segment: number): Promise<number> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(PAGE * PAGES_AT_ONCE);
    let damaged = 0;
    for (let first = 0; ; first += PAGES_AT_ONCE) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, first * PAGE);
      if (bytesRead % PAGE !== 0) damaged += 1;
      for (let index = 0; index < Math.floor(bytesRead / PAGE); index += 1) {
        const page = buffer.subarray(index * PAGE, (index + 1) * PAGE);
        const number = segment * PAGES_OF_FILE + first + index;
        for (let attempt = 1; !isSoundPage(page, number); attempt += 1) {
          if (attempt === ATTEMPTS) damaged += 1;
          if (attempt === ATTEMPTS) break;
          await file.read(page, 0, PAGE, (first + index) * PAGE);
        }
      }
      if (bytesRead < buffer.length) return damaged;
    }
  } finally {
    await file.close();
  }
}

function isSoundPage(page: Buffer, number: number): boolean {
  if (page.readUInt16LE(UPPER_AT) === 0) return page.every((byte) => byte === 0);
  return page.readUInt16LE(CHECKSUM_AT) === checksumOfPage(page, number);
}

/**
 * 32 sums, each of every 32nd word. PostgreSQL: pg_checksum_page,
 * src/include/storage/checksum_impl.h
 */
function checksumOfPage(page: Buffer, number: number): number {
  const words = new Int32Array(PAGE / 4 + ROUNDS * BASES.length);
  words.set(new Int32Array(page.buffer, page.byteOffset, PAGE / 4));
  // The checksum is computed with zeros in its own place; two rounds of zeros end it.
  words[CHECKSUM_AT / 4] = ((words[CHECKSUM_AT / 4] ?? 0) >>> 16) << 16;
  let sum = number;
  for (const [lane, base] of BASES.entries()) {
    let one = base | 0;
    for (let word = lane; word < words.length; word += BASES.length) {
      const mixed = one ^ (words[word] ?? 0);
      one = Math.imul(mixed, PRIME) ^ (mixed >>> 17);
    }
    sum ^= one;
  }
  return ((sum >>> 0) % 65535) + 1;
}
