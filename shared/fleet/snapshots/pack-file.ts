/**
 * A pack: contents of a snapshot that are stored and fetched together. Its id is the digest of the
 * list of its contents' digests. It is the length of that list, the list with the sizes, and the
 * contents, compressed together.
 *
 * It has no syntax trees: 1,927 manifests of Debian's modules are parsed in 276 ms, and their trees
 * read with `node:v8` in 264 ms from five times the bytes. A compile parses only what it uses: the
 * 111 manifests of a node take 27 ms of a new process's main thread, 8% of its compile. Their trees
 * without locators take 30 ms with `node:v8` and 19 ms as JSON, from eight times the bytes. (Node
 * 24, November 2026)
 */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { digestSha256 } from '../../util/digest.ts';

/** A content's sha256 and its number of bytes. */
type Entry = readonly [sha256: string, size: number];

const LENGTH_BYTES = 4;
/**
 * 13.6 MB of manifests, data and templates (Debian's modules) become 1.7 MB in 191 ms, and are read
 * in 21 ms; gzip: 2.5 MB, 212 ms, 49 ms. Zstandard does as well, but Node 22.13 does not have it.
 * (Node 24, November 2026)
 */
const PARAMETERS = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 };

/**
 * Bytes that are decompressed at a time. Node's own 16 KB take twice the CPU time of a pack of some
 * megabytes: 44 ms instead of 22 for 8.5 MB (Node 24, November 2026).
 */
const DECOMPRESSED_AT_ONCE = 1024 * 1024;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Key of a pack. */
export function packBlob(id: string): string {
  return `packs/${id}`;
}

/** The id of a pack with these contents: sorted sha256, each once. */
export function packId(contents: readonly string[]): string {
  return digestSha256(`pack 1\n${contents.join('\n')}`);
}

/** Rejects with an error that has a `code` for bytes that are damaged. */
export function decompressPack(bytes: Uint8Array): Promise<Buffer> {
  return decompress(bytes, { chunkSize: DECOMPRESSED_AT_ONCE });
}

export function compressPack(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, { params: { ...PARAMETERS, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
}

/** Prints a pack of contents by their sha256, in the order of `packId`. */
export function printPack(contents: ReadonlyMap<string, Uint8Array>): Promise<Buffer> {
  const entries = [...contents].map(([sha256, bytes]): Entry => [sha256, bytes.length]);
  const head = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  return compressPack(Buffer.concat([length, head, ...contents.values()]));
}

/**
 * The contents of the pack `id` by their sha256, each checked. Null for bytes that are not that
 * pack.
 */
export async function readPack(bytes: Uint8Array, id: string): Promise<ReadonlyMap<string, Uint8Array> | null> {
  const pack = await decompressPack(bytes).catch(() => null);
  const entries = pack && readEntries(pack);
  if (!entries || packId(entries.map(([sha256]) => sha256)) !== id) return null;
  let at = LENGTH_BYTES + pack.readUInt32LE(0);
  const contents = new Map<string, Uint8Array>();
  for (const [sha256, size] of entries) {
    // A copy: a view of a few bytes would keep the whole pack in memory.
    const content = new Uint8Array(pack.subarray(at, at + size));
    if (digestSha256(content) !== sha256) return null;
    contents.set(sha256, content);
    at += size;
  }
  return contents;
}

function readEntries(pack: Buffer): readonly Entry[] | null {
  if (pack.length < LENGTH_BYTES) return null;
  try {
    const entries: unknown = JSON.parse(pack.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + pack.readUInt32LE(0)));
    return isEntries(entries) ? entries : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isEntries(value: unknown): value is readonly Entry[] {
  return (
    Array.isArray(value) &&
    value.every((one) => Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number')
  );
}
