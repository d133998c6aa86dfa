/**
 * Checks JSON in bytes without making values of it, so that a text of many megabytes costs no
 * objects.
 */

/** The deepest nesting of lists and maps. Readers that recurse survive this depth. */
export const DEEPEST_JSON = 1000;

/** The place of a value: from `start` up to, not including, `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** The bounds of a text. */
export interface JsonBounds {
  /** The nesting of lists and maps. */
  readonly depth: number;
  /** Values, nested ones and those of all keys included. */
  readonly values: number;
}

const USUAL: JsonBounds = { depth: DEEPEST_JSON, values: Number.POSITIVE_INFINITY };

/** Characters of a number: readers of whole numbers take the square of its length. */
export const MOST_DIGITS = 1000;

/** Characters of an invalid text quoted in an error. */
const SHOWN = 60;

/** Why a text is refused. */
export class InvalidJson extends Error {
  readonly kind: 'syntax' | 'digits' | keyof JsonBounds;
  /** The beginning of the rest that cannot be read. */
  readonly rest: string;

  constructor(kind: InvalidJson['kind'], bytes: Buffer, at: number) {
    const rest = bytes.toString('utf8', at, at + 4 * SHOWN).slice(0, SHOWN);
    super(`unexpected token at '${rest}'`);
    this.name = 'InvalidJson';
    this.kind = kind;
    this.rest = rest;
  }
}

/**
 * Checks that `bytes` are exactly one JSON value (RFC 8259). Returns the members of the map with
 * the spans of their values, the last one of a repeated key; null for another value. Throws
 * InvalidJson.
 */
export function scanJson(bytes: Buffer, bounds: JsonBounds = USUAL): ReadonlyMap<string, JsonSpan> | null {
  const scanner = new JsonScanner(bytes, bounds);
  const found = scanner.readMembers();
  if (found !== undefined && scanner.isAtEnd()) return found;
  throw new InvalidJson(scanner.fault, bytes, scanner.at);
}

/** Whether `bytes` are exactly one JSON value, not nested more deeply than the limit. */
export function isOneJsonValue(bytes: Buffer): boolean {
  const scanner = new JsonScanner(bytes, USUAL);
  return scanner.skipValue() && scanner.isAtEnd();
}

/**
 * Returns the members of the JSON map that `bytes` are, like `scanJson`. Null when `bytes` are not
 * exactly one valid JSON map.
 */
export function readJsonMembers(bytes: Buffer): ReadonlyMap<string, JsonSpan> | null {
  const scanner = new JsonScanner(bytes, USUAL);
  const found = scanner.readMembers();
  return found !== undefined && scanner.isAtEnd() ? found : null;
}

/** Reads the string at `span`, which is valid JSON; null when another kind of value is there. */
export function readJsonText(bytes: Buffer, { start, end }: JsonSpan): string | null {
  if (bytes[start] !== QUOTE) return null;
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}

const [QUOTE, COMMA, COLON, BACKSLASH, MINUS, DOT] = [0x22, 0x2c, 0x3a, 0x5c, 0x2d, 0x2e] as const;
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP, ZERO, PLUS] = [0x5b, 0x5d, 0x7b, 0x7d, 0x30, 0x2b] as const;
const [LOWER_E, LOWER_U, FIRST_PRINTABLE, END] = [0x65, 0x75, 0x20, -1] as const;
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** A position in JSON text. Each method moves behind what it found, and says whether it did. */
class JsonScanner {
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  #values = 0;
  /** The place of the scanner; after a fault, that of what cannot be read. */
  at = 0;
  fault: InvalidJson['kind'] = 'syntax';

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  isAtEnd(): boolean {
    this.#skipSpace();
    return this.at === this.#bytes.length;
  }

  /** The members of a map; null behind another value; undefined at a fault. */
  readMembers(): Map<string, JsonSpan> | null | undefined {
    const isMap = this.#isAhead(OPEN_MAP);
    if (!isMap) return this.skipValue() ? null : undefined;
    this.at += 1;
    this.#values += 1;
    const members = new Map<string, JsonSpan>();
    let isMore = !this.#take(CLOSE_MAP);
    while (isMore) {
      const key = this.#skipKey();
      this.#skipSpace();
      const start = this.at;
      if (key === null || !this.skipValue(1)) return undefined;
      members.set(readJsonText(this.#bytes, key) ?? '', { start, end: this.at });
      isMore = this.#take(COMMA);
      if (!isMore && !this.#take(CLOSE_MAP)) return undefined;
    }
    return members;
  }

  /**
   * Skips a value within `around` lists and maps. Does not recurse: the open ones are on a stack of
   * its own.
   */
  skipValue(around = 0): boolean {
    const open: number[] = [];
    for (;;) {
      const begun = this.#beginValue(around + open.length);
      if (begun === null) return false;
      if (begun !== 0) {
        open.push(begun);
        if (begun === CLOSE_MAP && this.#skipKey() === null) return false;
        continue;
      }
      while (open.length > 0 && this.#take(open.at(-1) ?? END)) open.pop();
      if (open.length === 0) return true;
      if (!this.#take(COMMA)) return false;
      if (open.at(-1) === CLOSE_MAP && this.#skipKey() === null) return false;
    }
  }

  /**
   * Skips a whole scalar or empty container and returns 0; or opens a container and returns the
   * character that will close it; null for anything else. `depth`: how many are open already.
   */
  #beginValue(depth: number): number | null {
    this.#skipSpace();
    this.#values += 1;
    if (this.#values > this.#bounds.values) return this.#fail('values');
    const first = this.#peek();
    if (first === OPEN_LIST || first === OPEN_MAP) {
      if (depth === this.#bounds.depth) return this.#fail('depth');
      this.at += 1;
      const close = first === OPEN_LIST ? CLOSE_LIST : CLOSE_MAP;
      return this.#take(close) ? 0 : close;
    }
    if (first === QUOTE) return this.#skipString() ? 0 : null;
    if (first === MINUS || isDigit(first)) return this.#skipNumber() ? 0 : null;
    return this.#skipWord() ? 0 : null;
  }

  #fail(fault: InvalidJson['kind']): null {
    this.fault = fault;
    return null;
  }

  #isAhead(wanted: number): boolean {
    this.#skipSpace();
    return this.#peek() === wanted;
  }

  /** Takes one structural character, and the white space before it. */
  #take(wanted: number): boolean {
    if (!this.#isAhead(wanted)) return false;
    this.at += 1;
    return true;
  }

  /** Skips a key of a map and its colon; returns where the key is. */
  #skipKey(): JsonSpan | null {
    this.#skipSpace();
    const start = this.at;
    if (!this.#skipString()) return null;
    const end = this.at;
    return this.#take(COLON) ? { start, end } : null;
  }

  #skipString(): boolean {
    const bytes = this.#bytes;
    let at = this.at;
    if (bytes[at] !== QUOTE) return false;
    for (;;) {
      at += 1;
      const byte = bytes[at] ?? END;
      if (byte === QUOTE) break;
      if (byte < FIRST_PRINTABLE) return false;
      if (byte !== BACKSLASH) continue;
      const length = lengthOfEscape(bytes, at + 1);
      if (length === 0) return false;
      at += length;
    }
    this.at = at + 1;
    return true;
  }

  /** Behind the longest number here: what follows it is then no part of JSON. */
  #skipNumber(): boolean {
    let at = this.at;
    if (this.#bytes[at] === MINUS) at += 1;
    const whole = this.#bytes[at] === ZERO ? at + 1 : this.#skipDigits(at);
    if (whole === at) return false;
    at = whole;
    if (this.#bytes[at] === DOT) {
      const fraction = this.#skipDigits(at + 1);
      if (fraction > at + 1) at = fraction;
    }
    if (((this.#bytes[at] ?? END) | 0x20) === LOWER_E) {
      const sign = this.#bytes[at + 1];
      const digits = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      const exponent = this.#skipDigits(digits);
      if (exponent > digits) at = exponent;
    }
    if (at - this.at > MOST_DIGITS) return this.#fail('digits') !== null;
    this.at = at;
    return true;
  }

  /** The place behind the digits at `start`. */
  #skipDigits(start: number): number {
    let at = start;
    while (isDigit(this.#bytes[at] ?? END)) at += 1;
    return at;
  }

  #skipWord(): boolean {
    const found = WORDS.find((word) => word.every((byte, index) => this.#bytes[this.at + index] === byte));
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.at += 1;
    }
  }

  /** The byte here; `END` behind the last one. */
  #peek(): number {
    return this.#bytes[this.at] ?? END;
  }
}

/** Bytes of the escape behind a backslash; 0 for none that JSON knows. */
function lengthOfEscape(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? END;
  if (byte !== LOWER_U) return ESCAPED.has(byte) ? 1 : 0;
  for (let digit = 1; digit <= 4; digit += 1) if (!isHexDigit(bytes[at + digit] ?? END)) return 0;
  return 5;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
