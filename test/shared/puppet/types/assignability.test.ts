import { describe, expect, it } from 'vitest';
import { parseType } from '../../../../shared/puppet/types/type-parser.ts';

describe('isAssignable', () => {
  it.each([
    ['Any', 'Variant[Integer, Undef]', true],
    ['Integer[0, 10]', 'Integer[1, 5]', true],
    ['Integer[1, 5]', 'Integer[0, 10]', false],
    ['Numeric', 'Float', true],
    ['ScalarData', 'Regexp', false],
    ['Scalar', 'Timestamp', true],
    ['String[1, 3]', "Enum['a', 'bc']", true],
    ['Enum', 'String', true],
    ["Enum['A', true]", "Enum['a']", true],
    ["Enum['A']", "Enum['A', true]", false],
    ['Pattern[/a/]', "Enum['ab', 'ca']", true],
    ['Optional[String]', 'Undef', true],
    ['NotUndef', 'Optional[Integer]', false],
    ['Variant[Integer, String]', "Enum['a']", true],
    ['Variant', 'Undef', false],
    ['Array[Scalar]', 'Tuple[Integer, String]', true],
    ['Tuple[Integer, String]', 'Array[Integer, 2, 2]', false],
    ['Hash[String, Integer]', "Struct[{'a' => Integer}]", true],
    ['Hash[Integer, Integer]', 'Hash[0, 0]', true],
    ["Struct[{'a' => Integer, Optional['b'] => String}]", "Struct[{'a' => Integer}]", true],
    ["Struct[{'a' => Integer}]", "Struct[{'a' => Integer, 'b' => String}]", false],
    ['Callable[Integer]', 'Callable[Numeric]', true],
    ['Callable[Numeric]', 'Callable[Integer]', false],
    ['Iterable[String]', 'Array[String]', true],
    ['Iterable[Integer]', 'Type[Integer[1, 3]]', true],
    ['Type[Scalar]', 'Type[Integer]', true],
    ['Data', 'Array[Hash[String, Integer]]', true],
    ['Data', 'Regexp', false],
    ['RichData', 'Array[Sensitive]', true],
    ['Init[Integer]', 'Boolean', true],
    ["SemVer['>=1.0.0']", "SemVer['1.x']", true],
    ['Timespan[1, 10]', 'Timespan[2, 3]', true],
    ['Resource[file]', "Resource[file, '/x']", true],
    ['CatalogEntry', 'Class[a]', true],
  ])('%s of %s is %s', (wide, narrow, expected) => {
    expect(parseType(wide).isAssignable(parseType(narrow))).toBe(expected);
  });

  it('ends for types that contain themselves', () => {
    const names = { Tree: 'Hash[String, Variant[Integer, Tree]]', Same: 'Hash[String, Variant[Integer, Same]]' };
    expect(parseType('Tree', names).isAssignable(parseType('Same', names))).toBe(true);
    expect(parseType('Tree', names).isAssignable(parseType('Hash[String, Hash[String, Integer]]'))).toBe(true);
    expect(parseType('Tree', names).isAssignable(parseType('Hash[String, Hash[String, String]]'))).toBe(false);
  });
});

describe('equality', () => {
  it('takes a Variant for equal in any order, but not for the same hash key', () => {
    const [one, other] = [parseType('Array[Variant[Integer, String]]'), parseType('Array[Variant[String, Integer]]')];
    expect(one.equals(other)).toBe(true);
    expect(one.equalityKey()).not.toBe(other.equalityKey());
  });
});
