import { describe, expect, it } from 'vitest';
import { PuppetError } from '../../../../../shared/puppet/errors/puppet-error.ts';
import { displayString, formatValue } from '../../../../../shared/puppet/types/format/string-converter.ts';
import { Timespan } from '../../../../../shared/puppet/types/time/timespan.ts';
import { Timestamp } from '../../../../../shared/puppet/types/time/timestamp.ts';
import { parseType } from '../../../../../shared/puppet/types/type-parser.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../../../shared/puppet/types/values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../../shared/puppet/types/values/values.ts';
import { SemVer } from '../../../../../shared/puppet/types/versions/sem-ver.ts';

const nested = PuppetHash.of([
  ['a', [1n, 2n]],
  ['b', PuppetHash.of([['c', 1n]])],
]);

describe('formatValue', () => {
  const cases: readonly (readonly [Value, Value, string])[] = [
    [255n, '%#x', '0xff'],
    [-255n, '%x', '..f01'],
    [5n, '%05d', '00005'],
    [2.5, '%.0f', '2'],
    [1e20, '%p', '1.0e+20'],
    [1.5, '%a', '0x1.8p+0'],
    [true, '%#Y', 'Y'],
    [null, '%u', 'undef'],
    [DEFAULT, '%D', 'Default'],
    ["it's", '%p', "'it\\'s'"],
    ['a\nb$', '%p', '"a\\nb\\$"'],
    ['a::bc', '%C', 'A::Bc'],
    [new PuppetRegexp('a/b'), '%p', '/a\\/b/'],
    [[1n, 'a'], '%(a', "(1, 'a')"],
    [nested, '%#h', "{\n  'a' => [1, 2],\n  'b' => {\n    'c' => 1\n  }\n}"],
    [
      [1n, 2n],
      PuppetHash.of([
        [
          parseType('Array'),
          PuppetHash.of([
            ['format', '%[a'],
            ['separator', ';'],
            ['string_formats', PuppetHash.of([[parseType('Integer'), '%#x']])],
          ]),
        ],
      ]),
      '[0x1;0x2]',
    ],
    [new SemVer(1, 2, 3), '%p', '1.2.3'],
    [Timespan.fromSeconds(1.5), DEFAULT, '0-00:00:01.5'],
    [new Timestamp(0n), DEFAULT, '1970-01-01T00:00:00.000000000 UTC'],
  ];
  it.each(cases)('%#', (value, format, expected) => {
    expect(formatValue(value, format)).toBe(expected);
  });

  it.each([
    [
      1n,
      '%y',
      "Illegal format 'y' specified for value of Integer type - expected one of the characters 'dxXobBeEfgGaAspc'",
    ],
    [1n, '%[d', 'malformed format string - %['],
    [1n, 'x', "The format 'x' is not a valid format on the form '%<flags><width>.<prec><format>'"],
    [1n, '%++d', "The same flag can only be used once, got '%++d'"],
  ])('refuses %s with %s', (value, format, message) => {
    expect(() => formatValue(value, format)).toThrow(new PuppetError(message));
  });
});

describe('displayString', () => {
  const cases: readonly (readonly [Value, string])[] = [
    [null, ''],
    [1e100, '1.0e+100'],
    [['a', [null]], '[a, []]'],
    [PuppetHash.of([['a', 1n]]), '{a => 1}'],
    [new PuppetRegexp('x'), '/x/'],
    [new Sensitive('secret'), 'Sensitive [value redacted]'],
    [parseType('Array[Integer, 1]'), 'Array[Integer, 1]'],
  ];
  it.each(cases)('%#: %s', (value, expected) => {
    expect(displayString(value)).toBe(expected);
  });
});

it('formats a list of 120,000 texts', () => {
  const list = Array.from({ length: 120_000 }, () => 'ab');
  expect(formatValue(list, '%p')).toBe(`[${"'ab', ".repeat(119_999)}'ab']`);
});
