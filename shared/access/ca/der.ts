/**
 * The subset of DER (X.690) that revocation lists need. The X.509 library takes quadratic time for
 * long lists.
 */

export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  /** [0], constructed. */
  first: 0xa0,
} as const;

/** An element: its tag, its content, and all of its bytes. */
export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** Splits `bytes` into elements. Throws when they are truncated or not DER. */
export function readElements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const one = elementAt(bytes, at);
    found.push(one);
    at += one.whole.length;
  }
  return found;
}

function elementAt(bytes: Uint8Array, at: number): Element {
  const tag = bytes[at] ?? 0;
  const first = bytes[at + 1] ?? 0x80;
  const digits = first < 0x80 ? 0 : first & 0x7f;
  const isKnown = first !== 0x80 && digits <= 4;
  const length = digits === 0 ? first : bytes.subarray(at + 2, at + 2 + digits).reduce((n, byte) => n * 256 + byte, 0);
  const start = at + 2 + digits;
  if (!isKnown || start + length > bytes.length) throw new Error('A DER element is truncated');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** Encodes an element with these contents in order. */
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
  return encodeElement(TAG.integer, Buffer.from(/^[89a-f]/i.test(even) ? `00${even}` : even, 'hex'));
}

/** Encodes a time in whole seconds; with a two-digit year until 2049 (RFC 5280, 4.1.2.5). */
export function encodeTime(milliseconds: number): Uint8Array<ArrayBuffer> {
  const digits = `${new Date(milliseconds).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  const isLate = digits >= '2050';
  return encodeElement(isLate ? TAG.generalizedTime : TAG.utcTime, Buffer.from(isLate ? digits : digits.slice(2)));
}

/** Decodes a time to milliseconds since the epoch. */
export function timeOf({ tag, content }: Element): number {
  const digits = Buffer.from(content).toString('latin1');
  const century = tag === TAG.generalizedTime ? '' : digits < '50' ? '20' : '19';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + digits)?.map(Number) ?? [];
  if (year === undefined || month === undefined) throw new Error(`A DER time cannot be parsed: ${digits}`);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
