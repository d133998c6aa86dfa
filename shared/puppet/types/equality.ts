import { isNumber } from './values/value-kinds.ts';
/**
 * The equalities of Puppet and of the Ruby below it. `hashKey` (hash-key.ts) is the third, `eql?`,
 * by which hashes find their keys.
 */

import { PType } from './ptype.ts';
import { Timespan } from './time/timespan.ts';
import { Timestamp } from './time/timestamp.ts';
import { BytesText, plainText } from './values/bytes-text.ts';
import { hashKey } from './values/hash-key.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { RichValue, type Value } from './values/values.ts';

/**
 * Puppet's `==`: strings regardless of (ASCII) case, 1 and 1.0 too. Puppet: CompareOperator#equals.
 */
export function looselyEquals(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (b instanceof BytesText) return looselyEquals(plainText(a), b.text);
  if (isTime(b) && isNumber(a)) return isSameTime(b, a);
  if (typeof a === 'string') return typeof b === 'string' && a.length === b.length && foldCase(a) === foldCase(b);
  // biome-ignore lint/suspicious/noDoubleEquals: compares an Integer with a Float by value
  if (typeof a === 'bigint' || typeof a === 'number') return isNumber(b) && a == b;
  if (isTime(a) && isNumber(b)) return isSameTime(a, b);
  if (a instanceof BytesText) return looselyEquals(a.text, plainText(b));
  if (a === null || typeof a === 'boolean' || typeof b !== 'object' || b === null) return false;
  if (a instanceof RichValue) return b instanceof RichValue && isSameRichValue(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && isSameArray(a, b, looselyEquals);
  return a instanceof PuppetHash && b instanceof PuppetHash && isSameHash(a, b);
}

// Puppet: a key of `a` that `b` lacks is taken for one with undef.
function isSameHash(a: PuppetHash, b: PuppetHash): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a.entries()) if (!looselyEquals(b.get(key) ?? null, value)) return false;
  return true;
}

function isSameRichValue(a: RichValue, b: RichValue): boolean {
  if (a.equalityKey() === b.equalityKey()) return true;
  return a instanceof PType && b instanceof PType && areSameType(a, b);
}

/** Whether two types accept the same instances. */
export function areSameType(a: PType, b: PType): boolean {
  return a.equalityKey() === b.equalityKey() || (a.isAssignable(b) && b.isAssignable(a));
}

/** Ruby's `==`: strings by every letter, 1 == 1.0, and a time equals the number of its seconds. */
export function rubyEquals(left: Value, right: Value): boolean {
  if (isNumber(left))
    return isNumber(right) ? left <= right && left >= right : isTime(right) && isSameTime(right, left);
  if (isTime(left) && isNumber(right)) return isSameTime(left, right);
  if (Array.isArray(left)) return Array.isArray(right) && isSameArray(left, right, rubyEquals);
  if (left instanceof PuppetHash) return right instanceof PuppetHash && isSameRubyHash(left, right);
  if (left instanceof PType) return right instanceof PType && left.equals(right);
  if (left instanceof BytesText || right instanceof BytesText) return plainText(left) === plainText(right);
  if (left instanceof RichValue) return right instanceof RichValue && left.equalityKey() === right.equalityKey();
  return left === right;
}

function isSameRubyHash(left: PuppetHash, right: PuppetHash): boolean {
  return left.size === right.size && [...left].every(([key, value]) => isSameEntry(right.get(key), value));
}

function isSameEntry(found: Value | undefined, value: Value): boolean {
  return found !== undefined && rubyEquals(found, value);
}

function isSameArray(a: readonly Value[], b: readonly Value[], isSame: (a: Value, b: Value) => boolean): boolean {
  return a.length === b.length && a.every((element, index) => isSame(element, b[index] ?? null));
}

/** Values without those that are `eql?` to an earlier one. */
export function uniqueBy(values: Iterable<Value>, keyOf: (value: Value) => Value = (value) => value): Value[] {
  const seen = new Set<unknown>();
  const result: Value[] = [];
  for (const value of values) {
    const key = hashKey(keyOf(value));
    if (seen.has(key)) continue;
    seen.add(key);
    result.push(value);
  }
  return result;
}

function isTime(value: Value): value is Timespan | Timestamp {
  return value instanceof Timespan || value instanceof Timestamp;
}

/** An Integer stands for whole seconds. */
function isSameTime(time: Timespan | Timestamp, seconds: bigint | number): boolean {
  return (typeof seconds === 'bigint' ? time.toInteger() : time.toFloat()) === seconds;
}

/** Lower case of A to Z alone, as Ruby's `casecmp`. */
export function foldCase(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}
