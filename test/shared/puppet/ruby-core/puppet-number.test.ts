import { describe, expect, it } from 'vitest';
import { parseNumber } from '../../../../shared/puppet/ruby-core/puppet-number.ts';

describe('parseNumber', () => {
  it.each<[string, bigint | number | null]>([
    ['12', 12n],
    [' - 12 ', -12n],
    ['0x1F', 31n],
    ['017', 15n],
    ['08', null],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['1e+3', null],
    ['0e5', null],
    ['1e999', null],
    ['::3', 3n],
    ['', null],
    ['1_000', null],
  ])('%j is %s', (text, expected) => {
    expect(parseNumber(text)).toBe(expected);
  });
});
