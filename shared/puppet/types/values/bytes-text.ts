import type { RichKind } from './value-kinds.ts';
import { RichValue, type Value } from './values.ts';

/**
 * A string in Ruby's binary encoding (`ASCII-8BIT`), such as the result of base64 decoding. Code
 * sees it as a plain String; a catalog contains it as a Binary.
 */
export class BytesText extends RichValue {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  get valueKind(): RichKind {
    return 'BytesText';
  }

  equalityKey(): string {
    return `bytes:${this.text}`;
  }

  override toString(): string {
    return this.text;
  }
}

/**
 * Converts a BytesText to the String that operators and functions see; returns other values
 * unchanged.
 */
export function plainText(value: Value): Value {
  return value instanceof BytesText ? value.text : value;
}

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Appends two texts as Ruby does. Bytes stay bytes as long as the appended text is ASCII. Null when
 * both have other characters and their encodings differ.
 */
export function appendText(first: string | BytesText, second: string | BytesText): string | BytesText | null {
  if (typeof first === 'string' && typeof second === 'string') return first + second;
  const [a, b] = [String(first), String(second)];
  const decides = NOT_ASCII.test(b) ? second : first;
  if (decides === second && typeof first !== typeof second && NOT_ASCII.test(a)) return null;
  return typeof decides === 'string' ? a + b : new BytesText(a + b);
}
