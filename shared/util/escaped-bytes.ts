import { isUtf8 } from 'node:buffer';

/**
 * Bytes as text with one character for each: ASCII as itself, a byte above 127 as the lone
 * surrogate U+DC80 to U+DCFF, which occurs in no text that is well-formed. Python has the same as
 * `surrogateescape`.
 */

const SURROGATES = 0xdc00;
const HIGH_BYTE = /[\udc80-\udcff]/u;

export function escapeBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return text.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(SURROGATES + byte.charCodeAt(0)));
}

/**
 * Bytes read as UTF-8, with a lone surrogate for each byte that is part of no character. Such a
 * text is well-formed exactly when the bytes are UTF-8.
 */
export function escapeInvalid(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const width = [1, 2, 3, 4].find((count) => at + count <= bytes.length && isUtf8(bytes.subarray(at, at + count)));
    const next = bytes.subarray(at, at + (width ?? 1));
    text += width === undefined ? escapeBytes(next) : Buffer.from(next).toString('utf8');
    at += next.length;
  }
  return text;
}

/** The bytes of such a text; of other characters, their UTF-8. */
export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  return Buffer.concat(Array.from(text, (char) => Buffer.from(highByte(char) ?? char)));
}

/** The byte of a character that stands for one; null for other characters. */
export function highByte(char: string): [number] | null {
  return HIGH_BYTE.test(char) ? [char.charCodeAt(0) - SURROGATES] : null;
}

/** Reads the bytes in a text as UTF-8, for messages. */
export function unescapeBytes(text: string): string {
  return text.isWellFormed() ? text : Buffer.from(bytesOf(text)).toString('utf8');
}
