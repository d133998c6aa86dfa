import { describe, expect, it } from 'vitest';
import { rubySprintf } from '../../../../shared/puppet/ruby-core/ruby-sprintf.ts';

type Argument = string | bigint | number | null | boolean;

const VALUES = {
  toS: (value: Argument) => (value === null ? '' : String(value)),
  inspect: (value: Argument) => (typeof value === 'string' ? `"${value}"` : String(value)),
  className: (value: Argument) => (value === null ? 'nil' : String(value)),
  getEntry: () => null,
};

// Recorded from Ruby 3.1.
describe('rubySprintf', () => {
  const rows: readonly (readonly [string, readonly Argument[], string])[] = [
    ['%5.2f|%-5s|%05d', [3.14259, 'ab', 42n], ' 3.14|ab   |00042'],
    ['%.0f %.0f %.0f', [0.5, 1.5, 2.5], '0 2 2'],
    ['%x %o %b', [-255n, -8n, -5n], '..f01 ..70 ..1011'],
    ['%+x % x %#x', [-255n, 255n, 255n], '-ff  ff 0xff'],
    ['%08b %.8b', [-5n, -5n], '..111011 ..111011'],
    ['%e %g %g %a', [12345.678, 0.00001, 1e20, 1], '1.234568e+04 1e-05 1e+20 0x1p+0'],
    ['%2$s %1$s', ['a', 'b'], 'b a'],
    ['%*d|%-*d|', [5n, 1n, 3n, 2n], '    1|2  |'],
    ['%d', ['0x1f'], '31'],
    ['%.20f', [0.1], '0.10000000000000000555'],
    ['%.2f %.2f %.1f %.2f %.2f', [2.675, 1.005, 0.35, 4080917474919.145, 1.115], '2.68 1.00 0.4 4080917474919.15 1.12'],
    ['%.0e %.1e', [9500000000000, 8.05e-5], '1e+13 8.0e-05'],
    ['%.2g %.4g %.4g %.7g', [30500000000000, 0.34605, 0.34615, 0.31713305], '3.0e+13 0.3460 0.3462 0.3171330'],
    ['%f', [12345678901234567890n], '12345678901234567890.000000'],
  ];
  it.each(rows)('%s of %o is %s', (format, args, text) => {
    expect(rubySprintf(format, args, VALUES)).toBe(text);
  });

  const failures: readonly (readonly [string, readonly Argument[], string])[] = [
    ['%d', ['abc'], 'invalid value for Integer(): "abc"'],
    ['%d', [null], "can't convert nil into Integer"],
    ['%d %d', [1n], 'too few arguments'],
    ['%y', [1n], 'malformed format string - %y'],
    ['%', [], 'incomplete format specifier; use %% (double %) instead'],
    ['%1$s %s', ['a'], 'unnumbered(1) mixed with numbered'],
    ['%<a>s', ['x'], 'one hash required'],
    ['%c', ['ab'], '%c requires a character'],
  ];
  it.each(failures)('%s of %o fails: %s', (format, args, message) => {
    expect(() => rubySprintf(format, args, VALUES)).toThrow(message);
  });
});
