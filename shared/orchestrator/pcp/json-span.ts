/**
 * Checks JSON in bytes without making values of it. The broker forwards the data of messages as it
 * came, digit for digit, so that a message of many megabytes costs no objects.
 */

/** How deeply lists and maps may be nested. Readers that recurse survive this depth. */
export const DEEPEST_JSON = 1000;

/** Where a value lies: from `start` up to, not including, `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** Whether `bytes` are exactly one JSON value (RFC 8259), not nested more deeply than the limit. */
export function isOneJsonValue(bytes: Uint8Array): boolean {
  const scanner = new JsonScanner(bytes);
  return scanner.skipValue() && scanner.isAtEnd();
}

/**
 * Returns the members of the JSON map that `bytes` are, with the spans of their values; the last
 * one of a repeated key. Null when `bytes` are not exactly one valid JSON map.
 */
export function readJsonMembers(bytes: Buffer): ReadonlyMap<string, JsonSpan> | null {
  const scanner = new JsonScanner(bytes);
  const members = new Map<string, JsonSpan>();
  if (!scanner.take(OPEN_MAP)) return null;
  let isMore = !scanner.take(CLOSE_MAP);
  while (isMore) {
    const key = scanner.skipKey();
    const value = key && scanner.readSpan();
    if (!key || !value) return null;
    members.set(readJsonText(bytes, key) ?? '', value);
    isMore = scanner.take(COMMA);
    if (!isMore && !scanner.take(CLOSE_MAP)) return null;
  }
  return scanner.isAtEnd() ? members : null;
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
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at === this.#bytes.length;
  }

  /** Takes one structural character, and the white space before it. */
  take(wanted: number): boolean {
    this.#skipSpace();
    if (this.#peek() !== wanted) return false;
    this.#at += 1;
    return true;
  }

  /** Skips a key of a map and its colon; returns where the key is. */
  skipKey(): JsonSpan | null {
    this.#skipSpace();
    const start = this.#at;
    if (!this.#skipString()) return null;
    const end = this.#at;
    return this.take(COLON) ? { start, end } : null;
  }

  readSpan(): JsonSpan | null {
    this.#skipSpace();
    const start = this.#at;
    return this.skipValue() ? { start, end: this.#at } : null;
  }

  /** Skips a value. Does not recurse: the open lists and maps are on a stack of its own. */
  skipValue(): boolean {
    const open: number[] = [];
    for (;;) {
      const begun = this.#beginValue(open.length);
      if (begun === null) return false;
      if (begun !== 0) {
        open.push(begun);
        if (begun === CLOSE_MAP && this.skipKey() === null) return false;
        continue;
      }
      while (open.length > 0 && this.take(open.at(-1) ?? END)) open.pop();
      if (open.length === 0) return true;
      if (!this.take(COMMA)) return false;
      if (open.at(-1) === CLOSE_MAP && this.skipKey() === null) return false;
    }
  }

  /**
   * Skips a whole scalar or empty container and returns 0; or opens a container and returns the
   * character that will close it; null for anything else. `depth`: how many are open already.
   */
  #beginValue(depth: number): number | null {
    this.#skipSpace();
    const first = this.#peek();
    if (first === OPEN_LIST || first === OPEN_MAP) {
      if (depth === DEEPEST_JSON) return null;
      this.#at += 1;
      const close = first === OPEN_LIST ? CLOSE_LIST : CLOSE_MAP;
      return this.take(close) ? 0 : close;
    }
    if (first === QUOTE) return this.#skipString() ? 0 : null;
    if (first === MINUS || isDigit(first)) return this.#skipNumber() ? 0 : null;
    return this.#skipWord() ? 0 : null;
  }

  #skipString(): boolean {
    if (this.#peek() !== QUOTE) return false;
    this.#at += 1;
    for (;;) {
      const byte = this.#peek();
      if (byte < FIRST_PRINTABLE) return false;
      this.#at += 1;
      if (byte === QUOTE) return true;
      if (byte === BACKSLASH && !this.#skipEscape()) return false;
    }
  }

  #skipEscape(): boolean {
    const byte = this.#peek();
    this.#at += 1;
    if (byte !== LOWER_U) return ESCAPED.has(byte);
    for (let count = 0; count < 4; count += 1) {
      if (!isHexDigit(this.#peek())) return false;
      this.#at += 1;
    }
    return true;
  }

  #skipNumber(): boolean {
    if (this.#peek() === MINUS) this.#at += 1;
    if (this.#peek() === ZERO) this.#at += 1;
    else if (!this.#skipDigits()) return false;
    if (this.#peek() === DOT) {
      this.#at += 1;
      if (!this.#skipDigits()) return false;
    }
    if ((this.#peek() | 0x20) !== LOWER_E) return true;
    this.#at += 1;
    const sign = this.#peek();
    if (sign === PLUS || sign === MINUS) this.#at += 1;
    return this.#skipDigits();
  }

  #skipDigits(): boolean {
    const start = this.#at;
    while (isDigit(this.#peek())) this.#at += 1;
    return this.#at > start;
  }

  #skipWord(): boolean {
    const found = WORDS.find((word) => word.every((byte, index) => this.#bytes[this.#at + index] === byte));
    this.#at += found?.length ?? 0;
    return found !== undefined;
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at += 1;
    }
  }

  /** The byte here; `END` behind the last one. */
  #peek(): number {
    return this.#bytes[this.#at] ?? END;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
