/** The tag bytes of the DER elements that Understudy reads or writes. */
export const DER_TAG = {
  integer: 0x02,
  bitString: 0x03,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** [0], constructed. */
  first: 0xa0,
} as const;

/** An element: its tag byte, its content, and all of its bytes. They are views of the input. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** An input that is not DER, or a value in it that cannot be read. */
export class DerError extends Error {}

/**
 * Splits `bytes` into the DER elements (X.690) that they consist of, in order. Does not look into
 * their content. Throws DerError as `readDerElement` does.
 */
export function readDerElements(bytes: Uint8Array): DerElement[] {
  const found: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = readDerElement(bytes, at);
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

/**
 * Reads the element that begins at `at`, and ignores the bytes after it. Throws DerError for an
 * element that is truncated, and for a length that is indefinite or has more than four bytes.
 */
export function readDerElement(bytes: Uint8Array, at = 0): DerElement {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError('A DER element is truncated');
  const digits = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || digits > 4) {
    throw new DerError('A DER element is truncated, or its length is indefinite or of more than four bytes');
  }
  const start = at + 2 + digits;
  const length = digits === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  if (start + length > bytes.length) throw new DerError('A DER element is truncated');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** Whether the content of the element is elements. */
export function isConstructed({ tag }: DerElement): boolean {
  return (tag & 0x20) !== 0;
}

/** Decodes an object identifier to dotted notation. */
export function readDerOid({ content }: DerElement): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    arcs.push(arc);
    arc = 0;
  }
  // The first two arcs share one number. The second arc exceeds 39 only when the first is 2.
  const [shared = 0, ...rest] = arcs;
  const first = Math.min(Math.floor(shared / 40), 2);
  return [first, shared - first * 40, ...rest].join('.');
}

/**
 * Decodes a time to milliseconds since the epoch. A year of two digits is between 1950 and 2049
 * (RFC 5280, 4.1.2.5). Throws DerError unless the time has whole seconds in UTC.
 */
export function readDerTime({ tag, content }: DerElement): number {
  const digits = Buffer.from(content).toString('latin1');
  const century = tag === DER_TAG.generalizedTime ? '' : digits < '50' ? '20' : '19';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + digits)?.map(Number) ?? [];
  if (year === undefined || month === undefined) throw new DerError(`A DER time cannot be parsed: ${digits}`);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
