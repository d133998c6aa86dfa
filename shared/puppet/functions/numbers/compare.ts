import { valueLabel } from '../../evaluator/labels.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { compareIgnoringCase } from '../../ruby-core/ruby-string.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { Timespan } from '../../types/time/timespan.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import type { Value } from '../../types/values/values.ts';
import { rubyCompare } from '../support/ruby-order.ts';

/** Returns -1, 0 or 1. Strings compare without (ASCII) case unless the third argument is false. */
export const compare = defineFunction('compare', {
  localTypes: {
    TimeComparable: 'Variant[Numeric, Timespan, Timestamp]',
    Comparable: 'Variant[String, Semver, TimeComparable]',
  },
  dispatches: [
    { params: ['Numeric a', 'Numeric b'], body: (_, [a = null, b = null]) => order(rubyCompare(a, b)) },
    {
      params: ['String a', 'String b', '?Boolean ignore_case'],
      body: (_, [a, b, ignoreCase = true]) =>
        order(ignoreCase ? compareIgnoringCase(String(a), String(b)) : rubyCompare(String(a), String(b))),
    },
    { params: ['Semver a', 'Semver b'], body: (_, [a = null, b = null]) => order(rubyCompare(a, b)) },
    {
      params: ['Numeric a', 'Variant[Timespan, Timestamp] b'],
      body: (_, [a = null, b = null]) => order(rubyCompare(asTime(a, b), b)),
    },
    {
      params: ['Timestamp a', 'Variant[Timestamp, Numeric] b'],
      body: (_, [a = null, b = null]) => order(rubyCompare(a, asTime(b, a))),
    },
    {
      params: ['Timespan a', 'Variant[Timespan, Numeric] b'],
      body: (_, [a = null, b = null]) => order(rubyCompare(a, asTime(b, a))),
    },
  ],
  mismatches: [
    { params: ['Comparable a', 'Comparable b', '*Any ignore_case'], message: describeMisuse },
    {
      params: ['Any a', 'Any b', '*Any ignore_case'],
      message: ([a = null, b = null]) =>
        'compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp can be ' +
        `compared. Got ${valueLabel(a)} and ${valueLabel(b)}`,
    },
  ],
});

function order(result: number | null): Value {
  return result === null ? null : BigInt(result);
}

/** Converts seconds to a Timespan or Timestamp, like the other operand. */
function asTime(value: Value, other: Value): Value {
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  return other instanceof Timestamp ? Timestamp.fromSeconds(value) : Timespan.fromSeconds(value);
}

function describeMisuse([a = null, b = null, ...rest]: readonly Value[]): string {
  const [ignoreCase = null] = rest;
  if (rest.length > 0) {
    if (typeof a !== 'string' || typeof b !== 'string') {
      return 'compare(): The third argument (ignore case) can only be used when comparing strings';
    }
    if (rest.length !== 1) return `compare(): Accepts at most 3 arguments, got ${2 + rest.length}`;
    if (typeof ignoreCase !== 'boolean') {
      return `compare(): The third argument (ignore case) must be a Boolean. Got ${valueLabel(ignoreCase)}`;
    }
  }
  if (rubyClassName(a) === rubyClassName(b)) return '';
  return (
    'compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). ' +
    `Got ${valueLabel(a)} and ${valueLabel(b)}`
  );
}
