import { describe, expect, it } from 'vitest';
import { PuppetError } from '../../../../../shared/puppet/errors/puppet-error.ts';
import { newInstance } from '../../../../../shared/puppet/types/construct/new-instance.ts';
import { formatValue } from '../../../../../shared/puppet/types/format/string-converter.ts';
import { parseType } from '../../../../../shared/puppet/types/type-parser.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../../shared/puppet/types/values/values.ts';

describe('newInstance', () => {
  const made: readonly (readonly [string, readonly Value[], string])[] = [
    ['Integer', ['0x1A'], '26'],
    ['Integer', ['-0b11'], '-3'],
    ['Integer', ['10', 2n], '2'],
    [
      'Integer',
      [
        PuppetHash.of([
          ['from', '-12'],
          ['abs', true],
        ]),
      ],
      '12',
    ],
    ['Float', ['1e3'], '1000.0'],
    ['Numeric', ['017'], '15'],
    ['Boolean', ['Yes'], 'true'],
    ['String', [[1n, 'a']], "'[1, \\'a\\']'"],
    ['Array', [PuppetHash.of([['a', 1n]])], "[['a', 1]]"],
    ['Array', [5n, true], '[5]'],
    ['Hash', [['a', 1n]], "{'a' => 1}"],
    ['Hash', [[[['a', 'b'], 1n]], 'tree'], "{'a' => {'b' => 1}}"],
    ['Binary', ['hi', '%s'], 'Binary("aGk=")'],
    ['Regexp', ['a.b', true], '/a\\.b/'],
    ['SemVerRange', ['~1.2'], '>=1.2.0 <1.3.0'],
    ['URI', ['http://h:80/p?q#f'], "URI('http://h/p?q#f')"],
    ['Init[Integer]', [['12', 8n]], '10'],
    ['Type', ['Integer[1]'], 'Integer[1]'],
    ['Deferred', ['f', [1n]], "Deferred({'name' => 'f', 'arguments' => [1]})"],
  ];
  it.each(made)('%s from %s', (type, args, expected) => {
    expect(formatValue(newInstance(parseType(type), args), '%p')).toBe(expected);
  });

  const refused: readonly (readonly [string, readonly Value[], string])[] = [
    ['Integer', ['abc'], "'new' The string 'abc' cannot be converted to Integer"],
    ['Integer', ['08'], 'invalid value for Integer(): "08"'],
    ['Integer', ['1', 3n], 'Illegal radix: 3, expected 2, 8, 10, 16, or default'],
    [
      'Integer[1, 5]',
      ['7'],
      'Converted value from Integer[1, 5].new() has wrong type, expects an Integer[1, 5] value, got Integer[7, 7]',
    ],
    ['Boolean', ['maybe'], "'new_boolean' The string 'maybe' cannot be converted to Boolean"],
    ['Enum[a]', [1n], "Creation of new instance of type 'Enum['a']' is not supported"],
    ['SemVer', ['1.2'], "'new_Version' The string '1.2' cannot be converted to a SemVer"],
    ['URI', ['a b'], 'bad URI(is not URI?): "a b"'],
    ['Hash', [['a']], 'odd number of arguments for Hash'],
    ['Binary', ['!'], 'invalid base64'],
  ];
  it.each(refused)('%s refuses %s', (type, args, message) => {
    expect(() => newInstance(parseType(type), args)).toThrow(new PuppetError(message));
  });
});
