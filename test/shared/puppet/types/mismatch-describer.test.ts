import { describe, expect, it } from 'vitest';
import { PuppetError } from '../../../../shared/puppet/errors/puppet-error.ts';
import { inferSet } from '../../../../shared/puppet/types/inference.ts';
import {
  describeMismatch,
  describeSignatures,
  validateParameters,
} from '../../../../shared/puppet/types/mismatch-describer.ts';
import { StructElement, StructType } from '../../../../shared/puppet/types/record-types.ts';
import { parseType } from '../../../../shared/puppet/types/type-parser.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';

const hash = (entries: Readonly<Record<string, Value>>) => PuppetHash.of(Object.entries(entries));

describe('describeMismatch', () => {
  const cases: readonly (readonly [string, Value, string])[] = [
    ['Integer[1]', -1n, 'x expects an Integer[1] value, got Integer[-1, -1]'],
    ['Integer', 'a', 'x expects an Integer value, got String'],
    ['Optional[Integer]', 'a', 'x expects a value of type Undef or Integer, got String'],
    ['Enum[a, b]', 'c', "x expects a match for Enum['a', 'b'], got 'c'"],
    ['Optional[Enum[a]]', 'c', "x expects an undef value or a match for Enum['a'], got 'c'"],
    ['Array[Integer, 2]', [1n], 'x expects size to be at least 2, got 1'],
    ['Array[Integer]', [1n, 'a'], 'x index 1 expects an Integer value, got String'],
    ['Tuple[Integer]', [1n, 2n], 'x expects size to be 1, got 2'],
    ['Struct[{a => Integer}]', hash({ b: 1n }), " x expects a value for key 'a'\n  x unrecognized key 'b'"],
    ['Hash[String, Integer]', hash({ a: 'b' }), "x entry 'a' expects an Integer value, got String"],
    ['Variant[Integer, Boolean]', 'a', 'x expects a value of type Integer or Boolean, got String'],
    ['NoSuch', 1n, "x references an unresolved type 'NoSuch'"],
  ];
  it.each(cases)('%s, %s', (type, value, expected) => {
    expect(describeMismatch('x', parseType(type), inferSet(value))).toBe(expected);
  });
});

describe('describeSignatures', () => {
  const one = { type: parseType('Callable[Integer, 1, 1]'), parameterNames: ['a'], blockName: null };
  const two = { type: parseType('Callable[String, String, 1, 2]'), parameterNames: ['a', 'b'], blockName: null };

  it('names the parameter of the only signature', () => {
    expect(describeSignatures('f', [one], ['x'], null)).toBe("'f' parameter 'a' expects an Integer value, got String");
  });

  it('counts arguments', () => {
    expect(describeSignatures('f', [one], [], null)).toBe("'f' expects 1 argument, got none");
    expect(describeSignatures('f', [one, two], [1n, 2n, 3n], null)).toBe(
      "'f' expects between 1 and 2 arguments, got 3",
    );
  });

  it('lists signatures that fail for different reasons', () => {
    expect(describeSignatures('f', [one, two], [1.5, 'x'], null)).toBe(
      [
        "The function 'f' was called with arguments it does not accept. It expects one of:",
        '  (Integer a)',
        '    rejected: expects 1 argument, got 2',
        '  (String a, String b?)',
        "    rejected: parameter 'a' expects a String value, got Float",
      ].join('\n'),
    );
  });

  it('tells of a block that is not wanted', () => {
    expect(describeSignatures('lambda', [one], [1n], parseType('Callable[1, 1]'))).toBe(
      'block does not expect a block',
    );
  });
});

describe('validateParameters', () => {
  const parameters = new StructType([StructElement.createRequired('a', parseType('Integer'))]);

  it('says all that is wrong', () => {
    expect(() => validateParameters('Class[C]', parameters, hash({ z: 1n }))).toThrow(
      new PuppetError("Class[C]:\n  has no parameter named 'z'\n  expects a value for parameter 'a'"),
    );
  });

  it('says the one thing that is wrong on one line', () => {
    expect(() => validateParameters('Class[C]', parameters, hash({ a: 'x' }))).toThrow(
      new PuppetError("Class[C]: parameter 'a' expects an Integer value, got String"),
    );
  });
});
