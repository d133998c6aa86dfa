import type { RichKind } from './value-kinds.ts';
import { RichValue, type Value } from './values.ts';

/**
 * A text that Ruby keeps as bytes (`ASCII-8BIT`), as what decodes base64 gives it. For code it is a
 * String as any other; a catalog has it as a Binary.
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

/** The value; a text of bytes as the String that it is to operators and functions. */
export function plainText(value: Value): Value {
  return value instanceof BytesText ? value.text : value;
}

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Both texts as one, as Ruby appends the second: bytes stay bytes while what comes is ASCII; null
 * when it can't, because neither is ASCII and they differ in what they are kept as.
 */
export function appendText(first: string | BytesText, second: string | BytesText): string | BytesText | null {
  if (typeof first === 'string' && typeof second === 'string') return first + second;
  const [a, b] = [String(first), String(second)];
  const decides = NOT_ASCII.test(b) ? second : first;
  if (decides === second && typeof first !== typeof second && NOT_ASCII.test(a)) return null;
  return typeof decides === 'string' ? a + b : new BytesText(a + b);
}
