/** Texts of types and of values as Puppet's TypeFormatter (7.23) gives them. */
import { describe, expect, it } from 'vitest';
import { ArrayType } from '../../../../../shared/puppet/types/collection-types.ts';
import { formatExpanded, formatLiteral, formatType } from '../../../../../shared/puppet/types/format/type-formatter.ts';
import { infer } from '../../../../../shared/puppet/types/inference.ts';
import { TypeAliasType } from '../../../../../shared/puppet/types/reference-types.ts';
import { parseType } from '../../../../../shared/puppet/types/type-parser.ts';
import { Uri } from '../../../../../shared/puppet/types/uri/uri.ts';
import { Binary } from '../../../../../shared/puppet/types/values/binary.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../../../shared/puppet/types/values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../../shared/puppet/types/values/values.ts';
import { SemVer } from '../../../../../shared/puppet/types/versions/sem-ver.ts';

const TYPES: Readonly<Record<string, readonly (readonly [source: string, expected: string])[]>> = {
  'without parameters': [
    ['Any', 'Any'],
    ['Undef', 'Undef'],
    ['Default', 'Default'],
    ['Unit', "TypeReference['Unit']"],
    ['Data', 'Data'],
    ['RichData', 'RichData'],
    ['Scalar', 'Scalar'],
    ['ScalarData', 'ScalarData'],
    ['Numeric', 'Numeric'],
    ['Integer', 'Integer'],
    ['Float', 'Float'],
    ['String', 'String'],
    ['Boolean', 'Boolean'],
    ['Regexp', 'Regexp'],
    ['Binary', 'Binary'],
    ['Collection', 'Collection'],
    ['Array', 'Array'],
    ['Hash', 'Hash'],
    ['Struct', 'Struct'],
    ['Tuple', 'Tuple'],
    ['Enum', 'Enum'],
    ['Pattern', 'Pattern'],
    ['Variant', 'Variant'],
    ['Optional', 'Optional'],
    ['NotUndef', 'NotUndef'],
    ['Type', 'Type'],
    ['Iterable', 'Iterable'],
    ['Iterator', 'Iterator'],
    ['Sensitive', 'Sensitive'],
    ['Timespan', 'Timespan'],
    ['Timestamp', 'Timestamp'],
    ['SemVer', 'SemVer'],
    ['SemVerRange', 'SemVerRange'],
    ['URI', 'URI'],
    ['Callable', 'Callable'],
    ['Init', 'Init'],
    ['CatalogEntry', 'CatalogEntry'],
    ['Class', 'Class'],
    ['Resource', 'Resource'],
    ['Runtime', 'Runtime'],
    ['Object', 'Object[{}]'],
    [
      'Deferred',
      "Object[{name => 'Deferred', attributes => {'name' => Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/], 'arguments' => {type => Optional[Array], value => undef}}}]",
    ],
    ['Target', "TypeReference['Target']"],
  ],
  numbers: [
    ['Integer[1]', 'Integer[1]'],
    ['Integer[1, 2]', 'Integer[1, 2]'],
    ['Integer[default, 2]', 'Integer[default, 2]'],
    ['Integer[1, default]', 'Integer[1]'],
    ['Integer[-5, 5]', 'Integer[-5, 5]'],
    ['Integer[3, 3]', 'Integer[3, 3]'],
    ['Float[1]', 'Float[1.0]'],
    ['Float[1.5, 2.5]', 'Float[1.5, 2.5]'],
    ['Float[default, 2.0]', 'Float[default, 2.0]'],
    ['Boolean[true]', 'Boolean[true]'],
    ['Boolean[false]', 'Boolean[false]'],
  ],
  texts: [
    ['String[1]', 'String[1]'],
    ['String[1, 10]', 'String[1, 10]'],
    ['String[0]', 'String[0]'],
    ['String[default, 3]', 'String[0, 3]'],
    ['Enum[a]', "Enum['a']"],
    ['Enum[b, a]', "Enum['a', 'b']"],
    ["Enum['a b', true]", "Enum['a b', true]"],
    ["Enum['it\\'s']", "Enum['it\\'s']"],
    ['Pattern[/a/]', 'Pattern[/a/]'],
    ['Pattern[/a/, /b\\/c/]', 'Pattern[/a/, /b\\/c/]'],
    ['Pattern[a]', 'Pattern[/a/]'],
    ['Regexp[/a b/]', 'Regexp[/a b/]'],
    ['Regexp[x]', 'Regexp[/x/]'],
  ],
  collections: [
    ['Array[Integer]', 'Array[Integer]'],
    ['Array[Integer, 1]', 'Array[Integer, 1]'],
    ['Array[Integer, 1, 2]', 'Array[Integer, 1, 2]'],
    ['Array[Any]', 'Array'],
    ['Array[0, 0]', 'Array[0, 0]'],
    ['Hash[String, Integer]', 'Hash[String, Integer]'],
    ['Hash[String, Integer, 1]', 'Hash[String, Integer, 1]'],
    ['Hash[String, Integer, 1, 2]', 'Hash[String, Integer, 1, 2]'],
    ['Hash[0, 0]', 'Hash[0, 0]'],
    ['Hash[Any, Any]', 'Hash'],
    ['Collection[1]', 'Collection[1]'],
    ['Collection[1, 2]', 'Collection[1, 2]'],
    ['Tuple[Integer]', 'Tuple[Integer]'],
    ['Tuple[Integer, String, 1]', 'Tuple[Integer, String, 1]'],
    ['Tuple[Integer, String, 1, 5]', 'Tuple[Integer, String, 1, 5]'],
    ['Struct[{a => Integer}]', "Struct[{'a' => Integer}]"],
    ['Struct[{Optional[a] => Integer}]', "Struct[{Optional['a'] => Integer}]"],
    ['Struct[{a => Optional[Integer]}]', "Struct[{'a' => Optional[Integer]}]"],
    ['Struct[{Optional[a] => Optional[Integer]}]', "Struct[{'a' => Optional[Integer]}]"],
    ['Struct[{NotUndef[a] => Any}]', "Struct[{NotUndef['a'] => Any}]"],
    ['Struct[{a => Integer, b => String}]', "Struct[{'a' => Integer, 'b' => String}]"],
  ],
  wrappers: [
    ['Variant[Integer, String]', 'Variant[Integer, String]'],
    ['Variant[Integer]', 'Integer'],
    ['Optional[Integer]', 'Optional[Integer]'],
    ['Optional[a]', "Optional['a']"],
    ['NotUndef[Integer]', 'NotUndef[Integer]'],
    ["NotUndef['a b']", "NotUndef['a b']"],
    ['Type[Integer]', 'Type[Integer]'],
    ['Type[Type]', 'Type[Type]'],
    ['Iterable[Integer]', 'Iterable[Integer]'],
    ['Iterator[String]', 'Iterator[String]'],
    ['Sensitive[String]', 'Sensitive[String]'],
    ['Sensitive[Any]', 'Sensitive'],
    ['Init[Integer]', 'Init[Integer]'],
    ['Init[String, 1]', 'Init[String, 1]'],
    ['Init[Array, a, 2]', "Init[Array, 'a', 2]"],
  ],
  callables: [
    ['Callable[Integer]', 'Callable[Integer]'],
    ['Callable[Integer, String]', 'Callable[Integer, String]'],
    ['Callable[0, 0]', 'Callable[0, 0]'],
    ['Callable[Integer, 0, 1]', 'Callable[Integer, 0, 1]'],
    ['Callable[Integer, 1]', 'Callable[Integer, 1]'],
    ['Callable[Callable]', 'Callable[0, 0, Callable]'],
    ['Callable[Integer, Callable[String]]', 'Callable[Integer, Callable[String]]'],
    ['Callable[[Integer], String]', 'Callable[[Integer], String]'],
    ['Callable[[], String]', 'Callable[[0, 0], String]'],
    ['Callable[[0, 0], String]', 'Callable[[0, 0], String]'],
    ['Callable[Integer, Optional[Callable]]', 'Callable[Integer, Optional[Callable]]'],
  ],
  'times and versions': [
    ["Timespan['1-00:00:00']", "Timespan['1-00:00:00.0']"],
    ["Timespan['0-00:00:01', '0-00:00:02']", "Timespan['0-00:00:01.0', '0-00:00:02.0']"],
    ['Timespan[default, 5]', "Timespan[default, '0-00:00:05.0']"],
    ["Timestamp['2020-01-02T03:04:05']", "Timestamp['2020-01-02T03:04:05.000000000 UTC']"],
    [
      "Timestamp['2020-01-02', '2021-01-02']",
      "Timestamp['2020-01-02T00:00:00.000000000 UTC', '2021-01-02T00:00:00.000000000 UTC']",
    ],
    ["SemVer['1.0.0']", "SemVer['1.0.0']"],
    ["SemVer['>=1.0.0 <2.0.0', '3.0.0']", "SemVer['>=1.0.0 <2.0.0', '3.0.0']"],
  ],
  'catalog entries': [
    ['Class[a]', 'Class[a]'],
    ['Class[a::b]', 'Class[a::b]'],
    ['Resource[file]', 'File'],
    ["Resource[file, '/a']", "File['/a']"],
    ["Foo::Bar['x']", "TypeReference['Foo::Bar[\\'x\\']']"],
    ['File', 'File'],
    ["File['/a']", "File['/a']"],
  ],
  others: [
    ["URI['http://a/b']", "URI[{'scheme' => 'http', 'host' => 'a', 'path' => '/b'}]"],
    ['URI[{scheme => http}]', "URI[{'scheme' => 'http'}]"],
    ["Runtime[ruby, 'A::B']", "Runtime[ruby, 'A::B']"],
    ["Runtime['ruby', [/^A/, 'B']]", "Runtime[ruby, [/^A/, 'B']]"],
    ['Unknown::Type', "TypeReference['Unknown::Type']"],
    ["Object[{name => 'A', attributes => {'b' => Integer}}]", "Object[{name => 'A', attributes => {'b' => Integer}}]"],
  ],
};

const binary = Binary.fromText('abc');
const VALUES: readonly (readonly [value: Value, expected: string])[] = [
  [null, 'undef'],
  [DEFAULT, 'default'],
  [-5n, '-5'],
  [1, '1.0'],
  [1e20, '1.0e+20'],
  [true, 'true'],
  ['a', "'a'"],
  ["it's", "'it\\'s'"],
  ['a\nb', '"a\\nb"'],
  ['a$b', "'a$b'"],
  ['a\\b', "'a\\b'"],
  ['a\u0001\t', '"a\\u{1}\\t"'],
  [new PuppetRegexp('a/b'), '/a\\/b/'],
  [[1n, 'a', null], "[1, 'a', undef]"],
  [[], '[]'],
  [hash(['a', 1n], [2n, [true]]), "{'a' => 1, 2 => [true]}"],
  [hash(), '{}'],
  [parseType('Integer[1]'), 'Integer[1]'],
  [new Sensitive('x'), 'Instance of Sensitive[String]'],
  [binary, 'Instance of Binary'],
  [Uri.parse('http://a/b'), "URI('http://a/b')"],
  [SemVer.parse('1.2.3'), "'1.2.3'"],
];

/** On several lines, from the outermost level. */
const SPREAD: readonly (readonly [value: Value, expected: string])[] = [
  [[1n, 2n], '[1, 2]'],
  [hash(['a', 1n]), "{\n  'a' => 1\n}"],
  [hash(['a', hash(['b', [1n]])]), "{\n  'a' => {\n    'b' => [1]\n  }\n}"],
  [[hash(['a', 1n])], "[\n  {\n    'a' => 1\n  }\n]"],
  [['x'.repeat(60), 'y'.repeat(60)], `[\n  '${'x'.repeat(60)}',\n  '${'y'.repeat(60)}'\n]`],
  [[], '[]'],
  [hash(), '{\n}'],
  [[[]], '[[]]'],
  [[1n, [2n]], '[\n  1,\n  [2]\n]'],
];

function hash(...entries: (readonly [Value, Value])[]): PuppetHash {
  return PuppetHash.of(entries);
}

describe.each(Object.entries(TYPES))('texts of types: %s', (_topic, rows) => {
  it.each(rows)('%s', (source, expected) => {
    expect(formatType(parseType(source))).toBe(expected);
  });
});

describe('texts of values', () => {
  it.each(VALUES)('%#: %s', (value, expected) => {
    expect(formatLiteral(value, infer)).toBe(expected);
  });

  it.each(SPREAD)('%#: spread over lines', (value, expected) => {
    expect(formatLiteral(value, infer, 0)).toBe(expected);
  });
});

describe('texts of aliases', () => {
  const alias = new TypeAliasType('My::A', () => parseType('Array[Integer]'));
  const tree: TypeAliasType = new TypeAliasType('My::Tree', () =>
    parseType('Array[My::Tree]', { 'My::Tree': 'Array[My::Tree]' }),
  );

  it('show what an alias stands for, and its name alone within another type', () => {
    expect(formatType(alias)).toBe('My::A = Array[Integer]');
    expect(formatType(new ArrayType(alias))).toBe('Array[My::A]');
    expect(formatExpanded(new ArrayType(alias))).toBe('Array[My::A = Array[Integer]]');
  });

  it('show an alias of itself once', () => {
    expect(formatType(tree)).toMatch(/^My::Tree = Array\[My::Tree/);
  });

  it.each(['Data', 'RichData'])('show %s by its name only', (name) => {
    expect(formatExpanded(parseType(name))).toBe(name);
  });
});
