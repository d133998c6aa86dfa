import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/**
 * Gzip data that says what it must be: its header has an extra field (RFC 1952, 2.3.1.1) with the
 * digest by which readers ask for it, and the sha256 of all other bytes. A reader detects damage
 * without decompressing anything, and every decompressor passes over the field.
 */

/** The bytes of a header without extra field. */
const HEADER_LENGTH = 10;
const FLAGS = 3;
const HAS_EXTRA = 4;
const DIGEST_LENGTH = 32;
/** The length of the field, then the name and the length of our subfield. */
const FIELD = Buffer.from([4 + 2 * DIGEST_LENGTH, 0, 0x55, 0x53, 2 * DIGEST_LENGTH, 0]);
const DIGESTS_START = HEADER_LENGTH + FIELD.length;
const DATA_START = DIGESTS_START + 2 * DIGEST_LENGTH;

/** Compresses a text. `digest`: the sha256 (hex) by which readers ask for it. */
export function gzipChecked(text: string, digest: string): Buffer {
  const plain = gzipSync(text);
  const header = Buffer.from(plain.subarray(0, HEADER_LENGTH));
  header.writeUInt8(header.readUInt8(FLAGS) | HAS_EXTRA, FLAGS);
  const data = plain.subarray(HEADER_LENGTH);
  return Buffer.concat([header, FIELD, Buffer.from(digest, 'hex'), digestOf(header, data), data]);
}

/** Whether the bytes are undamaged and are those of that digest. */
export function checkGzip(bytes: Uint8Array, digest: string): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < DATA_START || !buffer.subarray(HEADER_LENGTH, DIGESTS_START).equals(FIELD)) return false;
  const header = buffer.subarray(0, HEADER_LENGTH);
  const expected = [Buffer.from(digest, 'hex'), digestOf(header, buffer.subarray(DATA_START))];
  return buffer.subarray(DIGESTS_START, DATA_START).equals(Buffer.concat(expected));
}

function digestOf(header: Uint8Array, data: Uint8Array): Buffer {
  return createHash('sha256').update(header).update(data).digest();
}
