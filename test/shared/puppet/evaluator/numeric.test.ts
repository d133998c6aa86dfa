import { describe, expect, it } from 'vitest';
import { compareValues, includes } from '../../../../shared/puppet/evaluator/compare-operator.ts';
import { looselyEquals } from '../../../../shared/puppet/types/equality.ts';
import { matchOption } from '../../../../shared/puppet/types/matching.ts';
import { Timespan } from '../../../../shared/puppet/types/time/timespan.ts';
import { Timestamp } from '../../../../shared/puppet/types/time/timestamp.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../../shared/puppet/types/values/regexp.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { SemVer } from '../../../../shared/puppet/types/versions/sem-ver.ts';
import { SemVerRange } from '../../../../shared/puppet/types/versions/sem-ver-range.ts';

const hash = (entries: Record<string, Value>) => PuppetHash.of(Object.entries(entries));

describe('equality', () => {
  it.each<[Value, Value, boolean]>([
    ['Ab', 'aB', true],
    ['ß', 'SS', false],
    [1n, 1.0, true],
    [1n, '1', false],
    [null, null, true],
    [null, false, false],
    [['A', 1n], ['a', 1.0], true],
    [hash({ a: 'X' }), hash({ a: 'x' }), true],
    [hash({ a: null }), hash({ b: null }), true],
    [new Timespan(1_500_000_000n), 1n, true],
    [1.5, new Timespan(1_500_000_000n), true],
    [new Timestamp(0n), new Timespan(0n), false],
    [SemVer.parse('1.0.0'), SemVer.parse('1.0.0'), true],
  ])('%s == %s is %s', (a, b, expected) => {
    expect(looselyEquals(a, b)).toBe(expected);
  });
});

describe('order', () => {
  it.each<[Value, Value, number]>([
    ['a', 'B', -1],
    ['_', 'A', -1],
    ['\u{ff5e}', '\u{1f600}', -1],
    [2n, 1.5, 1],
    [new Timespan(2_000_000_000n), 2n, 0],
    [3n, new Timespan(2_000_000_000n), 1],
    [SemVer.parse('1.0.0-rc'), SemVer.parse('1.0.0'), -1],
  ])('of %s and %s is %s', (a, b, expected) => {
    expect(Math.sign(compareValues(a, b))).toBe(expected);
  });

  it.each<[Value, Value, string]>([
    ['a', 1n, 'A String is not comparable to a non String'],
    [1n, 'a', 'A Numeric is not comparable to non Numeric'],
    [null, 1n, 'Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable'],
    [1n, SemVer.parse('1.0.0'), "can't convert SemanticPuppet::Version into Float"],
  ])('of %s and %s there is none', (a, b, message) => {
    expect(() => compareValues(a, b)).toThrow(message);
  });
});

describe('in and options', () => {
  it.each<[Value, Value, boolean]>([
    ['ABC', 'b', true],
    ['10', 1n, false],
    [['x', '1.2.3'], SemVer.parse('1.2.3'), false],
    [hash({ Key: 1n }), 'key', true],
    [SemVerRange.parse('1.x'), '1.5.0', true],
    [5n, 5n, false],
  ])('%s includes %s: %s', (container, value, expected) => {
    expect(includes(container, value)).toBe(expected);
  });

  it.each<[Value, Value, boolean]>([
    [new PuppetRegexp('b'), 'abc', true],
    [new PuppetRegexp('1'), 1n, false],
    [[new PuppetRegexp('a'), 1n], ['xa', 1.0], true],
    [hash({ a: new PuppetRegexp('x') }), hash({ a: 'xy', b: 1n }), true],
    [SemVerRange.parse('1.x'), 'no version', false],
  ])('option %s matches %s: %s', (pattern, value, expected) => {
    expect(matchOption(pattern, value, null)).toBe(expected);
  });
});
