/**
 * Puppet's `==`, `<`, `in` and option matching. Puppet:
 * lib/puppet/pops/evaluator/compare_operator.rb.
 */
import { PuppetError } from '../errors/puppet-error.ts';
import { ResourceReferenceType } from '../types/catalog-types.ts';
import { PType } from '../types/ptype.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { Binary } from '../types/values/binary.ts';
import { BytesText, plainText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { DEFAULT, RichValue, type Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { SemVerRange } from '../types/versions/sem-ver-range.ts';
import { versionIsNoNumber } from './numeric.ts';
import type { Scope } from './scope.ts';

/** Whether two values are equal in Puppet: strings regardless of (ASCII) case, 1 and 1.0 too. */
export function compareEquals(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isTime(b) && isNumber(a)) return isSameTime(b, a);
  if (typeof a === 'string') return typeof b === 'string' && a.length === b.length && foldCase(a) === foldCase(b);
  // biome-ignore lint/suspicious/noDoubleEquals: compares an Integer with a Float by value
  if (typeof a === 'bigint' || typeof a === 'number') return isNumber(b) && a == b;
  if (isTime(a) && isNumber(b)) return isSameTime(a, b);
  if (a instanceof BytesText) return compareEquals(a.text, plainText(b));
  if (a === null || typeof a === 'boolean' || typeof b !== 'object' || b === null) return false;
  if (a instanceof RichValue) return b instanceof RichValue && isSameRichValue(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && isSameArray(a, b);
  return a instanceof PuppetHash && b instanceof PuppetHash && isSameHash(a, b);
}

function isSameArray(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((element, index) => compareEquals(element, b[index] ?? null));
}

// Puppet: a key of `a` that `b` lacks is taken for one with undef.
function isSameHash(a: PuppetHash, b: PuppetHash): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a.entries()) if (!compareEquals(b.get(key) ?? null, value)) return false;
  return true;
}

function isSameRichValue(a: RichValue, b: RichValue): boolean {
  if (a instanceof Timespan && b instanceof Timespan) return a.nsecs === b.nsecs;
  if (a.equalityKey() === b.equalityKey()) return true;
  return a instanceof PType && b instanceof PType && areSameType(a, b);
}

/** Whether two types accept the same instances. */
export function areSameType(a: PType, b: PType): boolean {
  return a.equalityKey() === b.equalityKey() || (a.isAssignable(b) && b.isAssignable(a));
}

/** Two values have no order. */
export class NotComparable extends PuppetError {}

/**
 * Below 0, 0 or above 0 as `a` is less than, equal to or greater than `b`; throws when they have no
 * order.
 */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string') {
    if (typeof b !== 'string') throw new NotComparable('A String is not comparable to a non String');
    return compareText(foldCase(a), foldCase(b));
  }
  if (isNumber(a)) return compareNumber(a, b);
  if (a instanceof Timespan) return compareTime(a, b, Timespan);
  if (a instanceof Timestamp) return compareTime(a, b, Timestamp);
  if (a instanceof SemVer) {
    if (!(b instanceof SemVer)) throw new NotComparable('Versions not comparable to non Versions');
    return a.compare(b);
  }
  if (a === DEFAULT) {
    if (b !== DEFAULT) throw new NotComparable('Symbol not comparable to non Symbol');
    return 0;
  }
  throw new NotComparable('Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable');
}

function compareNumber(a: bigint | number, b: Value): number {
  if (isNumber(b)) return order(a, b);
  if (b instanceof Timespan || b instanceof Timestamp) return -compareValues(b, a);
  if (b instanceof SemVer) throw versionIsNoNumber();
  throw new NotComparable('A Numeric is not comparable to non Numeric');
}

function compareTime(a: Timespan | Timestamp, b: Value, kind: typeof Timespan | typeof Timestamp): number {
  if (typeof b === 'bigint') return order(a.toInteger(), b);
  if (typeof b === 'number') return order(a.toFloat(), b);
  if (b instanceof kind) return order(a.nsecs, b.nsecs);
  throw new NotComparable(`${kind.name}s are only comparable to ${kind.name}s, Integers, and Floats`);
}

function order(a: bigint | number, b: bigint | number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) throw new NotComparable("undefined method `<' for nil:NilClass");
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Whether `value in container` holds. A regular expression that matched sets the match variables of
 * `scope`.
 */
export function includes(container: Value, value: Value, scope: Scope | null = null): boolean {
  if (typeof container === 'string') return isInString(value, container, scope);
  if (Array.isArray(container)) return isInArray(value, container, scope);
  if (container instanceof PuppetHash) return isKey(value, container, scope);
  if (container instanceof SemVerRange) return isInRange(container, value);
  return container instanceof Binary && isInBinary(value, container);
}

function isKey(value: Value, hash: PuppetHash, scope: Scope | null): boolean {
  // The exact key is asked for first, so that a compile depends on the other keys only when it must
  // look at them.
  if (typeof value === 'string' && hash.has(value)) return true;
  return isInArray(value, [...hash.keys()], scope);
}

function isInString(value: Value, text: string, scope: Scope | null): boolean {
  if (typeof value === 'string') return text.toLowerCase().includes(value.toLowerCase());
  return value instanceof PuppetRegexp && matchRegexp(value, text, scope);
}

function isInArray(value: Value, elements: readonly Value[], scope: Scope | null): boolean {
  if (value instanceof PuppetRegexp) {
    return elements.some((element) => typeof element === 'string' && matchRegexp(value, element, scope));
  }
  if (typeof value === 'string' || value instanceof SemVer) {
    return elements.some((element) => matchOption(plainText(element), value, scope));
  }
  const isType = value instanceof PType && !(value instanceof ResourceReferenceType);
  if (isType) return elements.some((element) => value.isInstance(element));
  return elements.some((element) => compareEquals(element, value));
}

function isInBinary(value: Value, container: Binary): boolean {
  const bytes = Buffer.from(container.bytes);
  if (value instanceof Binary) return bytes.includes(Buffer.from(value.bytes));
  if (typeof value === 'string') return bytes.includes(value);
  return isNumber(value) && bytes.some((byte) => byte === Number(value));
}

/**
 * Whether a case or selector option matches the value: by regular expression, type, version range,
 * structure or equality. Puppet: CompareOperator#match, with the option as the pattern.
 */
export function matchOption(pattern: Value, value: Value, scope: Scope | null): boolean {
  if (typeof pattern !== 'object' || pattern === null) return compareEquals(value, pattern);
  if (pattern instanceof PuppetRegexp) return typeof value === 'string' && matchRegexp(pattern, value, scope);
  if (pattern instanceof PType) return pattern.isInstance(value);
  if (pattern === DEFAULT) return true;
  if (pattern instanceof SemVer) return isVersion(pattern, value);
  if (pattern instanceof SemVerRange) return isInRange(pattern, value);
  if (Array.isArray(pattern)) return matchArray(pattern, value, scope);
  if (pattern instanceof PuppetHash) return matchHash(pattern, value, scope);
  return compareEquals(value, pattern);
}

function matchArray(pattern: readonly Value[], value: Value, scope: Scope | null): boolean {
  if (!Array.isArray(value) || value.length !== pattern.length) return false;
  const elements: readonly Value[] = value;
  return pattern.every((each, index) => matchOption(each, elements[index] ?? null, scope));
}

function matchHash(pattern: PuppetHash, value: Value, scope: Scope | null): boolean {
  if (!(value instanceof PuppetHash)) return false;
  for (const [key, each] of pattern.entries()) if (!matchOption(each, value.get(key) ?? null, scope)) return false;
  return true;
}

/** Matches and, in a scope, makes the groups its match variables. */
export function matchRegexp(pattern: PuppetRegexp, text: string, scope: Scope | null): boolean {
  const match = pattern.exec(text);
  if (match && scope) scope.pushMatch(match);
  return match !== null;
}

/** Whether the version (or a string that is one) is in the range. */
export function isInRange(range: SemVerRange, value: Value): boolean {
  const version = asVersion(value);
  return version !== null && range.includes(version);
}

function isVersion(pattern: SemVer, value: Value): boolean {
  return asVersion(value)?.equalityKey() === pattern.equalityKey();
}

function asVersion(value: Value): SemVer | null {
  if (value instanceof SemVer) return value;
  return typeof value === 'string' && SemVer.isValid(value) ? SemVer.parse(value) : null;
}

function isTime(value: Value): value is Timespan | Timestamp {
  return value instanceof Timespan || value instanceof Timestamp;
}

/** An Integer stands for whole seconds. */
function isSameTime(time: Timespan | Timestamp, seconds: bigint | number): boolean {
  return (typeof seconds === 'bigint' ? time.toInteger() : time.toFloat()) === seconds;
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Lower case of A to Z alone, as Ruby's `casecmp`. */
function foldCase(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

/** By code points, as Ruby compares UTF-8. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  let index = 0;
  while (index < a.length && index < b.length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  const left = a.codePointAt(index) ?? -1;
  const right = b.codePointAt(index) ?? -1;
  return left < right ? -1 : 1;
}
