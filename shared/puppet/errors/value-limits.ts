import { PuppetError } from './puppet-error.ts';

/**
 * Limits of a value that code of a compile makes. Larger ones would end the worker, or keep it busy
 * for minutes. Ruby has no such limits but its memory. Facts and other inputs of a compile are
 * limited where they are received.
 */
export const VALUE_LIMITS = { characters: 2 ** 25, elements: 2 ** 20, keys: 2 ** 18 } as const;

/** Thrown for a value above a limit. */
export class ValueLimitError extends PuppetError {
  /** The same error with the name of the function that makes the value. */
  inFunction(name: string): ValueLimitError {
    return /^\S+\(\): /.test(this.basic) ? this : new ValueLimitError(`${name}(): ${this.basic}`, { cause: this });
  }
}

export function checkTextLength(length: number): void {
  const { characters } = VALUE_LIMITS;
  if (length > characters) throw new ValueLimitError(`text has more than ${characters} characters`);
}

export function checkElementCount(count: number): void {
  const { elements } = VALUE_LIMITS;
  if (count > elements) throw new ValueLimitError(`array has more than ${elements} elements`);
}

export function checkKeyCount(count: number): void {
  const { keys } = VALUE_LIMITS;
  if (count > keys) throw new ValueLimitError(`hash has more than ${keys} keys`);
}

/** Joins texts; throws ValueLimitError where the result is too long. */
export function joinTexts(texts: readonly string[], separator: string): string {
  let length = separator.length * Math.max(texts.length - 1, 0);
  for (const text of texts) length += text.length;
  checkTextLength(length);
  return texts.join(separator);
}

/** The engine's errors for values that are larger than it can hold. */
const ENGINE_LIMITS: readonly (readonly [message: string, what: string])[] = [
  ['Invalid string length', 'text has too many characters'],
  ['Invalid count value', 'text has too many characters'],
  ['Invalid array length', 'array has too many elements'],
  ['maximum size exceeded', 'hash has too many keys'],
];

/** Converts the engine's error for a value that it cannot hold; returns other errors unchanged. */
export function toValueLimitError(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  // On a full stack, a regular expression would not match but throw.
  const what = ENGINE_LIMITS.find(([message]) => error.message.includes(message))?.[1];
  return what === undefined ? error : new ValueLimitError(what, { cause: error });
}
