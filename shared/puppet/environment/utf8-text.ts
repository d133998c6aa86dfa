import { isUtf8 } from 'node:buffer';
import { PuppetError } from '../errors/puppet-error.ts';
import { BytesText } from '../types/values/bytes-text.ts';
import type { Environment } from './environment.ts';

const LINE_FEED = 0x0a;

/**
 * The text of a file; null when it does not exist. Throws PuppetError with file and line when its
 * bytes are not valid UTF-8, since replacement characters would reach the node.
 */
// Differs from Puppet: Puppet's error names the code that asked for the file.
export function readUtf8(environment: Environment, path: string): string | null {
  const text = environment.readText(path);
  const invalid = text === null ? null : invalidBytes(environment, path, text);
  if (invalid === null) return text;
  // Ruby: String#encode
  throw new PuppetError('invalid byte sequence in UTF-8', { file: path, line: lineOfFault(invalid) });
}

/** The bytes of a file that is not valid UTF-8; null when its text represents it exactly. */
export function invalidBytes(environment: Pick<Environment, 'read'>, path: string, text: string): Uint8Array | null {
  if (!text.includes('\uFFFD')) return null;
  const bytes = environment.read(path);
  return bytes === null || isUtf8(bytes) ? null : bytes;
}

/** The first line that is not valid UTF-8, from 1. */
function lineOfFault(bytes: Uint8Array): number {
  let start = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

/**
 * The text of a file, without a byte order mark; null when it does not exist. Bytes that are no
 * UTF-8 are kept. Throws PuppetError for a byte order mark of UTF-16 or UTF-32. Puppet:
 * FileSystem.read_preserve_line_endings
 */
export function readLenient(environment: Environment, path: string): string | BytesText | null {
  const text = environment.readText(path);
  const invalid = text === null ? null : invalidBytes(environment, path, text);
  if (invalid === null) return text === null ? null : text.replace(/^\uFEFF/, '');
  const start = Buffer.from(invalid.subarray(0, 4)).toString('hex');
  // Ruby: IO#open with `bom|utf-8`
  if (/^(?:fffe|feff|0000feff)/.test(start)) throw new PuppetError('ASCII incompatible encoding needs binmode');
  return BytesText.fromUtf8(start.startsWith('efbbbf') ? invalid.subarray(3) : invalid);
}

/** libyaml's error text for the first invalid UTF-8 sequence. */
export function utf8Problem(bytes: Uint8Array): string {
  for (let index = 0; index < bytes.length; ) {
    const leading = bytes[index] ?? 0;
    const width = widthOf(leading);
    if (width === 0) return 'invalid leading UTF-8 octet';
    const trailing = bytes.subarray(index + 1, index + width);
    if (trailing.length < width - 1) return 'incomplete UTF-8 octet sequence';
    if (trailing.some((octet) => (octet & 0xc0) !== 0x80)) return 'invalid trailing UTF-8 octet';
    const point = trailing.reduce((value, octet) => (value << 6) | (octet & 0x3f), leading & (0xff >> (width + 1)));
    if (width > 1 && point < (LEAST[width] ?? 0)) return 'invalid length of a UTF-8 sequence';
    if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) return 'invalid Unicode character';
    index += width;
  }
  return 'invalid UTF-8';
}

/** The lowest code point of each sequence length. */
const LEAST: readonly number[] = [0, 0, 0x80, 0x800, 0x10000];

function widthOf(leading: number): number {
  if (leading < 0x80) return 1;
  if ((leading & 0xe0) === 0xc0) return 2;
  if ((leading & 0xf0) === 0xe0) return 3;
  return (leading & 0xf8) === 0xf0 ? 4 : 0;
}
