import { describe, expect, it } from 'vitest';
import { PuppetError } from '../../../../../shared/puppet/errors/puppet-error.ts';
import { infer, inferSet } from '../../../../../shared/puppet/types/inference.ts';
import { parseType } from '../../../../../shared/puppet/types/type-parser.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../../../../shared/puppet/types/values/values.ts';

describe('parseType', () => {
  it.each([
    ['Integer[default, 5]', 'Integer[default, 5]'],
    ['Float[1]', 'Float[1.0]'],
    ['Array[1]', 'Array[Any, 1]'],
    ['Array[String, 0, 0]', 'Array[0, 0]'],
    ['Enum[b, a, b]', "Enum['a', 'b']"],
    ['Variant[Variant[Integer, String], Float]', 'Variant[Integer, String, Float]'],
    ["Optional['x']", "Optional['x']"],
    [
      'Struct[{Optional[a] => Integer, b => Optional[Integer]}]',
      "Struct[{Optional['a'] => Integer, 'b' => Optional[Integer]}]",
    ],
    ['Struct[{NotUndef[a] => Optional[Integer]}]', "Struct[{NotUndef['a'] => Optional[Integer]}]"],
    ['Callable[[Integer, 1, 2], String]', 'Callable[[Integer, 1, 2], String]'],
    ['Callable[0, 0, Callable[1, 1]]', 'Callable[0, 0, Callable[1, 1]]'],
    ['Pattern[/a\\/b/]', 'Pattern[/a\\/b/]'],
    ['Resource[file]', 'File'],
    ['Type[NoSuch]', "Type[TypeReference['NoSuch']]"],
    ["Timespan['0-00:00:01.5', 3]", "Timespan['0-00:00:01.5', '0-00:00:03.0']"],
  ])('reads %s as %s', (text, expected) => {
    expect(String(parseType(text))).toBe(expected);
  });

  it.each([
    ['1 + 2', 'The expression <1 + 2> is not a valid type specification.'],
    ['Array[Integer, x, y]', 'The expression <Array[Integer, x, y]> is not a valid type specification.'],
    ['Any[1]', 'Not a parameterized type <Any>'],
    ['Hash[String]', 'Invalid number of type parameters specified: Hash requires 2 to 4, 1 provided'],
    ['Enum[1]', 'Enum parameters must be identifiers or strings'],
    ['Boolean[1]', 'Boolean parameter must be true or false'],
    ['Integer[5, 1]', "'from' must be less or equal to 'to'. Got (5, 1"],
    [
      'Struct[{Integer => Integer}]',
      'Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: Puppet::Pops::Types::PIntegerType',
    ],
  ])('refuses %s', (text, message) => {
    expect(() => parseType(text)).toThrow(new PuppetError(message));
  });

  it('refuses an alias that stands for nothing but aliases', () => {
    const names = { A: 'Variant[A, B]', B: 'A' };
    expect(() => parseType('Array[A]', names).isInstance([1n])).toThrow(
      new PuppetError("Type alias 'A' cannot be resolved to a real type"),
    );
  });
});

describe('normalize', () => {
  it.each([
    ['Variant[Integer[1, 3], Integer[4, 6]]', 'Integer[1, 6]'],
    ['Variant[Enum[a], Enum[b, c]]', "Enum['a', 'b', 'c']"],
    ['Variant[Undef, Integer]', 'Optional[Integer]'],
    ['Optional[NotUndef[Integer]]', 'Optional[Integer]'],
    ['NotUndef[Optional[String]]', 'String'],
    ['Variant[Pattern[/x/], Pattern[/y/]]', 'Pattern[/x/, /y/]'],
    ['Array[Any, 1]', 'Array'],
  ])('brings %s to %s', (text, expected) => {
    expect(String(parseType(text).normalize())).toBe(expected);
  });
});

describe('inference', () => {
  const values: readonly (readonly [Value, string, string])[] = [
    [[1n, 'a'], 'Array[ScalarData, 2, 2]', 'Tuple[Integer[1, 1], String]'],
    [[], 'Array[0, 0]', 'Array[0, 0]'],
    [PuppetHash.of([['a', 1n]]), 'Hash[String, Integer[1, 1], 1, 1]', "Struct[{'a' => Integer[1, 1]}]"],
    [PuppetHash.of([[1n, 'x']]), 'Hash[Integer[1, 1], String, 1, 1]', 'Hash[Integer[1, 1], String, 1, 1]'],
    [[1n, 2.5], 'Array[Numeric, 2, 2]', 'Tuple[Integer[1, 1], Float[2.5, 2.5]]'],
    [new Sensitive('x'), 'Sensitive[String]', 'Sensitive[String]'],
    [parseType('Integer[1]'), 'Type[Integer[1]]', 'Type[Integer[1]]'],
  ];
  it.each(values)('%#: %s', (value, reduced, detailed) => {
    expect(String(infer(value))).toBe(reduced);
    expect(String(inferSet(value))).toBe(detailed);
  });
});
