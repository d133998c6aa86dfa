import { isUtf8 } from 'node:buffer';
import { bytesOf, escapeBytes, escapeInvalid, unescapeBytes } from '../../../util/escaped-bytes.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { joinTexts } from '../../errors/value-limits.ts';
import type { RichKind } from './value-kinds.ts';
import { RichValue, type Value } from './values.ts';

/** Ruby's name of the encoding of a text. */
type TextEncoding = 'ASCII-8BIT' | 'UTF-8';

/**
 * A string that a plain text cannot represent. In Ruby's binary encoding (`ASCII-8BIT`), such as
 * the result of base64 decoding: code sees a String with one character for each byte; a catalog
 * contains it as a Binary. In UTF-8, such as the content of a file that is not valid: each byte
 * that is part of no character counts as one; a catalog cannot contain it.
 */
export class BytesText extends RichValue {
  /**
   * In the binary encoding one character for each byte, as `escapeBytes` makes them; in UTF-8 what
   * `escapeInvalid` makes, never well-formed.
   */
  readonly text: string;
  readonly encoding: TextEncoding;

  constructor(text: string, encoding: TextEncoding = 'ASCII-8BIT') {
    super();
    this.text = text;
    this.encoding = encoding;
  }

  static fromBytes(bytes: Uint8Array): BytesText {
    return new BytesText(escapeBytes(bytes));
  }

  /** The text of bytes in UTF-8: a String when they are valid. */
  static fromUtf8(bytes: Uint8Array): string | BytesText {
    const text = escapeInvalid(bytes);
    return text.isWellFormed() ? text : new BytesText(text, 'UTF-8');
  }

  /** Whether a text of UTF-8 is not valid. */
  get isBroken(): boolean {
    return this.encoding === 'UTF-8';
  }

  get valueKind(): RichKind {
    return 'BytesText';
  }

  get bytes(): Uint8Array {
    return bytesOf(this.text);
  }

  equalityKey(): string {
    return `${this.isBroken ? 'broken' : 'bytes'}:${this.text}`;
  }

  /** The text that finds the same in a set of values: ASCII is equal in all encodings. */
  get textKey(): string {
    return this.text;
  }

  /** The result of a change that keeps the encoding. */
  map(change: (text: string) => string): string | BytesText {
    const text = change(this.text);
    return this.isBroken && text.isWellFormed() ? text : new BytesText(text, this.encoding);
  }

  /** The bytes read as UTF-8, for messages. */
  override toString(): string {
    return unescapeBytes(this.text);
  }
}

/** Ruby's error for a text of UTF-8 that is not valid, from most of its methods. */
export const INVALID_SEQUENCE = 'invalid byte sequence in UTF-8';

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Converts a BytesText to the String that operators and functions see; returns other values
 * unchanged.
 */
export function plainText(value: Value): Value {
  return value instanceof BytesText ? value.text : value;
}

/** The String that finds a key; it finds none for bytes that are no UTF-8. */
export function findKey(value: Value): Value {
  if (!(value instanceof BytesText)) return value;
  return isUtf8(value.bytes) ? String(value) : value.text;
}

/** The String as which a BytesText names something: the key of a hash, the title of a resource. */
export function keyText(value: Value): Value {
  // Ruby: Regexp#match?
  if (value instanceof BytesText && value.isBroken) throw new PuppetError(INVALID_SEQUENCE);
  const found = findKey(value);
  if (!(value instanceof BytesText) || found !== value.text || found.isWellFormed()) return found;
  // Ruby: JSON::GeneratorError
  throw new PuppetError('Could not render to rich_data_json: partial character in source, but hit end');
}

/**
 * Appends two texts as Ruby does. Bytes stay bytes as long as the appended text is ASCII. Throws
 * when both have other characters and their encodings differ.
 */
export function appendText(first: string | BytesText, second: string | BytesText): string | BytesText {
  if (typeof first === 'string' && typeof second === 'string') return first + second;
  const [a, b] = [textOf(first), textOf(second)];
  // Bytes at the end of one and the start of the other may be a character.
  if (isUtf8Text(first) && isUtf8Text(second)) return BytesText.fromUtf8(bytesOf(a + b));
  const decides = NOT_ASCII.test(b) ? second : first;
  if (decides === second && isUtf8Text(first) !== isUtf8Text(second) && NOT_ASCII.test(a)) {
    throw incompatible(first, second);
  }
  return typeof decides === 'string' ? a + b : new BytesText(a + b, decides.encoding);
}

/** Joins texts as Ruby's `Array#join` does. */
export function joinRubyTexts(texts: readonly (string | BytesText)[], separator = ''): string | BytesText {
  if (texts.every((text) => typeof text === 'string')) return joinTexts(texts, separator);
  const [first = '', ...rest] = texts;
  return rest.reduce<string | BytesText>((before, text) => appendText(appendText(before, separator), text), first);
}

/**
 * Reads a text that was made of BytesTexts' `text`: it is bytes if it has some above 127, or if it
 * is ASCII and `isKept`. In UTF-8 it is one if it is not well-formed.
 */
export function restoreBytes(text: string, isKept: boolean, encoding?: TextEncoding): string | BytesText {
  if (encoding === 'UTF-8') return text.isWellFormed() ? text : new BytesText(text, encoding);
  if (!NOT_ASCII.test(text)) return isKept ? new BytesText(text) : text;
  if (text.isWellFormed()) return text;
  const bytes = new BytesText(text);
  const other = text.replace(/[\udc80-\udcff]/gu, '');
  if (NOT_ASCII.test(other)) throw incompatible(bytes, other);
  return bytes;
}

function isUtf8Text(text: string | BytesText): boolean {
  return typeof text === 'string' || text.isBroken;
}

function textOf(text: string | BytesText): string {
  return typeof text === 'string' ? text : text.text;
}

function incompatible(...texts: readonly (string | BytesText)[]): PuppetError {
  const encodings = texts.map((text) => (typeof text === 'string' ? 'UTF-8' : text.encoding));
  // Ruby: String#+
  return new PuppetError(`incompatible character encodings: ${encodings.join(' and ')}`);
}
