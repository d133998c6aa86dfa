import { DER_TAG } from '../../puppet/serialization/der-reader.ts';

/**
 * Encodes a DER element (X.690): the tag, the length, and the contents in order. The X.509 library
 * is not used because it takes quadratic time for long revocation lists.
 */
export function encodeElement(tag: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = contents.reduce((sum, { length }) => sum + length, 0);
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  const header = length < 0x80 ? [tag, length] : [tag, 0x80 | digits.length, ...digits];
  return new Uint8Array(Buffer.concat([new Uint8Array(header), ...contents]));
}

/** Encodes a non-negative integer, given in hexadecimal with or without leading zeros. */
export function encodeInteger(hexadecimal: string): Uint8Array<ArrayBuffer> {
  const digits = hexadecimal.replace(/^0+/, '') || '0';
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return encodeElement(DER_TAG.integer, Buffer.from(/^[89a-f]/i.test(even) ? `00${even}` : even, 'hex'));
}

/**
 * Encodes a time, given in milliseconds since 1970, in whole seconds: as UTCTime until 2049, then
 * as GeneralizedTime (RFC 5280, 4.1.2.5).
 */
export function encodeTime(milliseconds: number): Uint8Array<ArrayBuffer> {
  const digits = `${new Date(milliseconds).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  const isLate = digits >= '2050';
  return encodeElement(
    isLate ? DER_TAG.generalizedTime : DER_TAG.utcTime,
    Buffer.from(isLate ? digits : digits.slice(2)),
  );
}
