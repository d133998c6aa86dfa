/** Puppet's `<` and `in`. Puppet: lib/puppet/pops/evaluator/compare_operator.rb. */
import { PuppetError } from '../errors/puppet-error.ts';
import { ResourceReferenceType } from '../types/catalog-types.ts';
import { foldCase, looselyEquals } from '../types/equality.ts';
import { isInRange, type MatchScope, matchOption, matchRegexp } from '../types/matching.ts';
import { PType } from '../types/ptype.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { Binary } from '../types/values/binary.ts';
import { plainText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { DEFAULT, type Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { SemVerRange } from '../types/versions/sem-ver-range.ts';
import { versionIsNoNumber } from './numeric.ts';

/** Thrown when two values have no order. */
export class NotComparable extends PuppetError {}

/**
 * Returns a number below, equal to or above 0 as `a` is less than, equal to or greater than `b`.
 * Throws when they have no order.
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
 * Whether `value in container` holds. A matching regular expression sets the match variables of
 * `scope`.
 */
export function includes(container: Value, value: Value, scope: MatchScope | null = null): boolean {
  if (typeof container === 'string') return isInString(value, container, scope);
  if (Array.isArray(container)) return isInArray(value, container, scope);
  if (container instanceof PuppetHash) return isKey(value, container, scope);
  if (container instanceof SemVerRange) return isInRange(container, value);
  return container instanceof Binary && isInBinary(value, container);
}

function isKey(value: Value, hash: PuppetHash, scope: MatchScope | null): boolean {
  // The exact key is asked for first, so that a compile depends on the other keys only when it must
  // look at them.
  if (typeof value === 'string' && hash.has(value)) return true;
  return isInArray(value, [...hash.keys()], scope);
}

function isInString(value: Value, text: string, scope: MatchScope | null): boolean {
  if (typeof value === 'string') return text.toLowerCase().includes(value.toLowerCase());
  return value instanceof PuppetRegexp && matchRegexp(value, text, scope);
}

function isInArray(value: Value, elements: readonly Value[], scope: MatchScope | null): boolean {
  if (value instanceof PuppetRegexp) {
    return elements.some((element) => typeof element === 'string' && matchRegexp(value, element, scope));
  }
  if (typeof value === 'string' || value instanceof SemVer) {
    return elements.some((element) => matchOption(plainText(element), value, scope));
  }
  const isType = value instanceof PType && !(value instanceof ResourceReferenceType);
  if (isType) return elements.some((element) => value.isInstance(element));
  return elements.some((element) => looselyEquals(element, value));
}

function isInBinary(value: Value, container: Binary): boolean {
  const bytes = Buffer.from(container.bytes);
  if (value instanceof Binary) return bytes.includes(Buffer.from(value.bytes));
  if (typeof value === 'string') return bytes.includes(value);
  return isNumber(value) && bytes.some((byte) => byte === Number(value));
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
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
