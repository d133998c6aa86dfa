/** Ruby's `<=>`, and sorting with it. */
import { PuppetError } from '../../errors/puppet-error.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { compareStrings } from '../../ruby-core/ruby-string.ts';
import { rubyEquals } from '../../types/equality.ts';
import { inspectRuby } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { Timespan } from '../../types/time/timespan.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import { BytesText, plainText } from '../../types/values/bytes-text.ts';
import { isNumber } from '../../types/values/value-kinds.ts';
import type { Value } from '../../types/values/values.ts';
import { SemVer } from '../../types/versions/sem-ver.ts';
import { undefinedMethodError } from './conversion.ts';

/**
 * Returns a negative number, zero or a positive number; null when the values are not comparable.
 */
export function rubyCompare(left: Value, right: Value): number | null {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (left instanceof BytesText || right instanceof BytesText) return rubyCompare(plainText(left), plainText(right));
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return compareArrays(left, right);
  if (left instanceof SemVer && right instanceof SemVer) return left.compare(right);
  if (left instanceof Timespan && right instanceof Timespan) return left.compare(right);
  if (left instanceof Timestamp && right instanceof Timestamp) return left.compare(right);
  return rubyEquals(left, right) ? 0 : null;
}

function compareNumbers(left: bigint | number, right: bigint | number): number | null {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(left) || Number.isNaN(right) ? null : 0;
}

function compareArrays(left: readonly Value[], right: readonly Value[]): number | null {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    if (other === undefined) break;
    const order = rubyCompare(value, other);
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
}

export type Comparison = (left: Value, right: Value) => number;

/** Ruby's `<=>` that throws for values without an order, as Ruby's sort does. */
export function compareNaturally(left: Value, right: Value): number {
  const order = rubyCompare(left, right);
  if (order === null) throw notComparable(left, right);
  return order;
}

/** Converts a block to a comparison by the sign of the number that it returns. */
export function toBlockComparison(block: Callable): Comparison {
  return (left, right) => {
    const order = block.call(left, right);
    if (typeof order === 'bigint') return order > 0n ? 1 : order < 0n ? -1 : 0;
    if (typeof order === 'number') return Math.sign(order);
    if (order === null) throw notComparable(left, right);
    if (typeof order === 'string') throw notComparable(order, 0n);
    throw undefinedMethodError('>', order, inspectRuby(order));
  };
}

function notComparable(left: Value, right: Value): PuppetError {
  const shown = isImmediate(right) ? inspectRuby(right) : rubyClassName(right);
  // Ruby: Comparable
  return new PuppetError(`comparison of ${rubyClassName(left)} with ${shown} failed`);
}

function isImmediate(value: Value): boolean {
  return value === null || ['bigint', 'number', 'boolean'].includes(typeof value);
}

/** Returns the greatest value; the first one of equal values. */
export function selectGreatest(values: readonly Value[], compare: Comparison): Value {
  const [first = null, ...rest] = values;
  return rest.reduce((best, value) => (compare(value, best) > 0 ? value : best), first);
}
