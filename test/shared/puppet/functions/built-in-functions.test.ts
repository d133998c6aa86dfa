import { describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { formatValue } from '../../../../shared/puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const facts = PuppetHash.of([
  ['networking', PuppetHash.of([['fqdn', 'Node1.Example.com']])],
  ['fqdn', 'Node1.Example.com'],
  ['os', PuppetHash.of([['family', 'Debian']])],
]);

function resultOf(code: string): string {
  const result = compileSource(code, { facts });
  if (result.status === 'ok') return formatValue(result.lastValue ?? null, '%p');
  return result.status === 'failed' ? result.error.basic : result.status;
}

// Recorded from Puppet 7.23.
describe('built-in functions', () => {
  it.each([
    ["regsubst('abcabc','b','<\\0>','G')", "'a<b>ca<b>c'"],
    ["regsubst('abc','(?<x>b)','[\\k<x>]')", "'a[b]c'"],
    ["regsubst('abc',/(b)/,'\\\\\\\\1')", "'a\\1c'"],
    ["regsubst(['a','b'],'a',{'a'=>'z'})", "['z', 'b']"],
    ["regsubst('aBc','b','X','I')", "'aXc'"],
    ["regsubst('abc','a b # c','X','E')", "'Xc'"],
    ["regsubst('a.b',Regexp[/./],'X','G')", "'aXb'"],
    ["split('abc','')", "['a', 'b', 'c']"],
    ["split('a1b2',/\\d/)", "['a', 'b']"],
    ["split('a1b2',/(\\d)/)", "['a', '1', 'b', '2']"],
    ["split('','x')", '[]'],
    ["split(' a b ',' ')", "['', 'a', 'b']"],
    ["sprintf('%5.2f|%-5s|%05d|%x|%e',3.14159,'ab',42,255,12345.678)", "' 3.14|ab   |00042|ff|1.234568e+04'"],
    ["sprintf('%<a>d %{b}',{'a'=>1,'b'=>2})", "'1 2'"],
    ["sprintf('%d','0x1f')", "'31'"],
    ["sprintf('%s',undef)", "''"],
    ["sprintf('%p',[1,undef,'a'])", '\'[1, nil, "a"]\''],
    ["sprintf('%d',3.99)", "'3'"],
    ["sprintf('%s', /x/)", "'/x/'"],
    ["sprintf('%s', File['/a'])", "'File[/a]'"],
    ["sprintf('%s', [1,{'a'=>undef}])", '\'[1, {"a"=>nil}]\''],
    ["shellquote('a b',\"it's\",'$x',['q','\"'])", "'\"a b\" \"it\\'s\" \\'$x\\' q \\'\"\\''"],
    ["versioncmp('1.10','1.9')", '1'],
    ["versioncmp('1.0','1.0.0')", '-1'],
    ["versioncmp('1.0-rc1','1.0')", '1'],
    ["versioncmp('1.0.0','1.0',true)", '0'],
    ["compare('a','B')", '-1'],
    ["compare('a','B',false)", '1'],
    ['compare(Timespan(1),2)', '-1'],
    ['compare(2,Timestamp(1))', '1'],
    ['sort([[2,1],[1,2]])', '[[1, 2], [2, 1]]'],
    ["sort('hello')", "'ehllo'"],
    ["unique([1,1.0,'1',1])", "[1, 1.0, '1']"],
    ["unique({'a'=>1,'b'=>1,'c'=>2})", "{['a', 'b'] => [1], ['c'] => [2]}"],
    ["unique('hello')", "'helo'"],
    ['flatten(1,[2,[3]])', '[1, 2, 3]'],
    ['dig([1,[2,3]],1,0)', '2'],
    ["dig({'a'=>{'b'=>1}},'a','b')", '1'],
    ['dig([1,2],-1)', '2'],
    ["get({'a'=>[1,2]},'a.1')", '2'],
    ["get({'a.b'=>1},\"'a.b'\")", '1'],
    ["get([1,2],'5','d')", "'d'"],
    [
      "getvar('facts')",
      "{'networking' => {'fqdn' => 'Node1.Example.com'}, 'fqdn' => 'Node1.Example.com', 'os' => {'family' => 'Debian'}}",
    ],
    ["getvar('nosuch')", 'undef'],
    ["getvar('nosuch','d')", "'d'"],
    [
      "strftime(Timestamp(0),'%Y-%m-%d %H:%M:%S %z %Z %j %U %a %A %b %B %e %k %l %I %p %P %s %N %3N %L %c %x %X %D %F %T %R %r %n%t%% %C %y %G %g %V %u %w %h %Q %-d %_d %^a %10Y %#p')",
      '"1970-01-01 00:00:00 +0000 UTC 001 00 Thu Thursday Jan January  1  0 12 12 AM am 0 000000000 000 000 Thu Jan  1 00:00:00 1970 01/01/70 00:00:00 01/01/70 1970-01-01 00:00:00 00:00 12:00:00 AM \\n\\t% 19 70 1970 70 01 4 4 Jan %Q 1  1 THU 0000001970 am"',
    ],
    [
      "strftime(Timestamp('2024-02-29T13:05:09.123456789 UTC'),'%Y %-m %e %-H %l %N %6N %s %V %G','+02:00')",
      "'2024 2 29 15  3 123456789 123456 1709211909 09 2024'",
    ],
    ["strftime(Timespan(93784.5),'%D-%H:%M:%S.%L')", "'1-02:03:04.500'"],
    ["strftime(Timespan(93784),'%H hours %-M')", "'26 hours 3'"],
    ["match('abc123',/([a-z]+)(\\d+)/)", "['abc123', 'abc', '123']"],
    ["match(['a','1'],/\\d/)", "[undef, ['1']]"],
    ["match('a',[/b/,/a/])", "['a']"],
    ["match('a',Pattern[/a/])", "['a']"],
    ["type([1,'a'])", 'Tuple[Integer[1, 1], String]'],
    ["type({'a'=>1},generalized)", 'Hash[String, Integer]'],
    ['type([1,2.0],reduced)', 'Array[Numeric, 2, 2]'],
    ["defined('notice')", 'false'],
    ['defined(File)', 'true'],
    ["defined('$facts')", 'true'],
    ["defined('file')", 'true'],
    ["defined('main')", 'true'],
    ["defined('')", 'false'],
    ['defined(Type[File])', 'true'],
    ["call('abs',-1)", '1'],
    ["call('map',[1]) |$x| {$x+1}", '[2]'],
    ["max('a','B')", "'a'"],
    ['max([1,5,3]) |$a,$b| { compare($b,$a) }', '1'],
    ["max(1,'2')", "'2'"],
    ["min('10','9')", "'9'"],
    ["abs('-1.5')", '1.5'],
    ['empty(0)', 'false'],
    ['empty(undef)', 'true'],
    ["join([1,[2,undef,'a']],'-')", "'1-2--a'"],
    ["join([],',')", "''"],
    ['with(1,2) |$x| {$x}', '1'],
    ['with() || {3}', '3'],
    ['fqdn_rand(10)', '9'],
    ["fqdn_rand(10,'x')", '3'],
    ["fqdn_rand('7',[1,2])", '0'],
    ['fqdn_rand(100,1,true)', '4'],
    ["new(Integer,'0x10')", '16'],
    ["new(String,1,'%x')", "'1'"],
    ["new(Array,'abc',true)", "['abc']"],
    ["Integer('12',8)", '10'],
    ["convert_to('1',Integer)", '1'],
    ['convert_to([1,2],Hash)', '{1 => 2}'],
    [
      "[1,[2,{'a'=>3}]].tree_each({'include_containers'=>false}).map |$p,$v| {[$p,$v]}",
      "[[0, [[0], 1]], [1, [[1, 0], 2]], [2, [[1, 1, 'a'], 3]]]",
    ],
    ["tagged('x')", 'false'],
    ["lookup('x',undef,undef,'d')", "'d'"],
    ["lookup({'name'=>'x','default_value'=>1})", '1'],
    ["hiera('x','d')", "'d'"],
    ["hiera_array('x',['d'])", "['d']"],
    ["hiera_hash('x',{})", '{}'],
    ["inline_epp('a<%= 1+1 %>')", "'a2'"],
    ["inline_epp('<%- |$x| -%><%= $x %>',{'x'=>5})", "'5'"],
    ["inline_epp('<%= $x %>',{'x'=>5})", "'5'"],
    ["find_file('a/b','/nonexistent')", 'undef'],
    ["find_template('a/b')", 'undef'],
    ["module_directory('nosuch')", 'undef'],
    ["index('hello','l')", '2'],
    ["index('hello',/lo/)", '3'],
    ['index([1,2,3],2)', '1'],
    ["index({'a'=>1},1)", "'a'"],
    ['index([1,2.0],2)', '1'],
    ['[1,2,3].slice(2)', '[[1, 2], [3]]'],
    ["{'a'=>1,'b'=>2,'c'=>3}.slice(2)", "[[['a', 1], ['b', 2]], [['c', 3]]]"],
    ['[1,2,3].slice(2) |$a,$b| { notice($a,$b) }', '[1, 2, 3]'],
    ["{'a'=>1}.slice(2) |$a,$b| { notice($a,$b) }", "{'a' => 1}"],
    ['reduce([1,2,3]) |$m,$x| { $m+$x }', '6'],
    ['reduce([],5) |$m,$x| { $m+$x }', '5'],
    ['reduce([]) |$m,$x| { $m }', 'undef'],
    ["reduce({'a'=>1,'b'=>2}) |$m,$x| { $x }", "['b', 2]"],
    ['Integer[1,3].map |$i,$x| { [$i,$x] }', '[[0, 1], [1, 2], [2, 3]]'],
    ["'abc'.map |$c| { $c }", "['a', 'b', 'c']"],
    ["{'a'=>1}.filter |$k,$v| { $v == 1 }", "{'a' => 1}"],
    ["{'a'=>1,'b'=>2}.map |$x| { $x }", "[['a', 1], ['b', 2]]"],
    ['[1,2].reverse_each', '[2, 1]'],
    ['[1,2].step(1)', '[1, 2]'],
    ['Integer[1,10].reverse_each.step(3).map |$x| {$x}', '[10, 7, 4, 1]'],
    ['lest(undef) || { 1 }', '1'],
    ['then(1) |$x| { $x + 1 }', '2'],
    ['[1,2,3].group_by |$x| { $x % 2 }', '{1 => [1, 3], 0 => [2]}'],
    ['[1,2,3].group_by |$i,$x| { $i % 2 }', '{0 => [1, 3], 1 => [2]}'],
    ["{'a'=>1,'b'=>1}.group_by |$k,$v| { $v }", "{1 => [['a', 1], ['b', 1]]}"],
    ['[1,2,3].partition |$x| { $x > 1 }', '[[2, 3], [1]]'],
    ["{'a'=>1}.partition |$k,$v| { true }", "[[['a', 1]], []]"],
    ["camelcase('foo_bar__baz')", "'FooBarBaz'"],
    ["capitalize('éa')", "'Éa'"],
  ])('%s', (code, value) => {
    expect(resultOf(`$r = ${code} $r`)).toBe(value);
  });
});

describe('misuse of built-in functions', () => {
  it.each([
    ["regsubst('a','(','b','IG')", 'end pattern with unmatched parenthesis: /(/i'],
    ["regsubst('a','a)(b','c','I')", 'unmatched close parenthesis: /a)(b/i'],
    ["regsubst('a','( # )','b','E')", 'end pattern with unmatched parenthesis: /( # )/x'],
    ["regsubst('a','*','b','EMI')", 'target of repeat operator is not specified: /*/mix'],
    ["regsubst('a','a/(','b','I')", 'end pattern with unmatched parenthesis: /a\\/(/i'],
    [
      'lookup(Integer[1,10].step(3)) |*$r| { $r }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Iterator\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Iterator\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Iterator\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup(3) |*$r| { $r }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Integer\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup(Integer[1,10].step(3)) |$x,$y=1| { $y }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Iterator\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Iterator\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Iterator\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      "lookup({'a'=>1,'b'=>2}) |$x,$y=1| { $y }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects a value for key 'name'\n    rejected: parameter 'options_hash' unrecognized key 'a'\n    rejected: parameter 'options_hash' unrecognized key 'b'\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup(3) |$x,$y=1| { $y }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Integer\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      "lookup(3) || { 'e' }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Integer\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      "lookup(['b','a']) || { 'e' }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: block expects 1 argument, got none\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block expects 1 argument, got none\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block expects 1 argument, got none",
    ],
    [
      "lookup(Integer[1,5]) || { 'e' }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Type\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Type\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Type\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup([1,2,3]) |Integer $x| { $x + 1 }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' variant 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 0 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 1 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 2 expects a String value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' variant 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 0 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 1 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 2 expects a String value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Tuple\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup([]) |Integer $x| { $x + 1 }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: block index 0 expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block index 0 expects a NameType = Variant[String, Array[String]] value, got Integer\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block index 0 expects a NameType = Variant[String, Array[String]] value, got Integer",
    ],
    [
      "lookup('abc') |Integer $x| { $x + 1 }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: block index 0 expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block index 0 expects a NameType = Variant[String, Array[String]] value, got Integer\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block index 0 expects a NameType = Variant[String, Array[String]] value, got Integer",
    ],
    [
      "lookup({'a'=>1,'b'=>2}) |$x| { if $x == 2 { break() } $x }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects a value for key 'name'\n    rejected: parameter 'options_hash' unrecognized key 'a'\n    rejected: parameter 'options_hash' unrecognized key 'b'\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup(Integer[1,5]) |$x| { if $x == 2 { break() } $x }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Type\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Type\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Type\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup([[1,2],[3,4]]) |$x| { if $x == 2 { break() } $x }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' variant 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 1 expects a String value, got Tuple\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' variant 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 1 expects a String value, got Tuple\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Tuple\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup(undef) |$x,$y| { compare($x,$y) }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Undef\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Undef\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Undef\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup(2.5) |$x,$y| { compare($x,$y) }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Float\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Float\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Float\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup([]) |$x,$y| { compare($x,$y) }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: block expects 1 argument, got 2\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block expects 1 argument, got 2\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block expects 1 argument, got 2",
    ],
    [
      "lookup('abc') |$a,$b,$c| { $a }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: does not expect a block\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: block expects 1 argument, got 3\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block expects 1 argument, got 3\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: block expects 1 argument, got 3",
    ],
    [
      'lookup(undef) |$a,$b,$c| { $a }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Undef\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Undef\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Undef\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      'lookup([1,2,3]) |$a,$b,$c| { $a }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' variant 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 0 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 1 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 2 expects a String value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' variant 0 expects a String value, got Tuple\n    rejected: parameter 'name' variant 1 index 0 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 1 expects a String value, got Integer\n    rejected: parameter 'name' variant 1 index 2 expects a String value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Tuple\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    [
      "lookup(Integer[1,10].step(3), 'x') |$a,$b,$c| { $a }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Iterator\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 2\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Iterator\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 1 argument, got 2\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'name' expects a value of type String or Array, got Iterator[Integer]",
    ],
    [
      "lookup({'a'=>1,'b'=>2}, 'x') |$x,$y| { $y }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 2\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Struct\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 1 argument, got 2\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'name' expects a value of type String or Array, got Struct",
    ],
    [
      "lookup(2.5, 2) |$x| { next('n') }",
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Float\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 2\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Float\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 1 argument, got 2\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'name' expects a value of type String or Array, got Float",
    ],
    [
      'lookup(3, 1) |$x| { $x }',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 2\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 1 argument, got 2\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'name' expects a value of type String or Array, got Integer",
    ],
    ["sprintf('%')", 'incomplete format specifier; use %% (double %) instead'],
    ["sprintf('%d %d',1)", 'too few arguments'],
    [
      "compare(1,'a')",
      "'compare' compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). Got Integer and String",
    ],
    [
      'compare([],{})',
      "'compare' compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp can be compared. Got Array and Hash",
    ],
    ["sort([1,'a'])", 'comparison of Integer with String failed'],
    ["sort(['a',1])", 'comparison of String with 1 failed'],
    ['sort([true,false])', 'comparison of TrueClass with false failed'],
    ['sort([1,undef])', 'comparison of Integer with nil failed'],
    ["dig({'a'=>1},'a','b')", 'The given data does not contain a Collection at ["a"], got \'Integer[1, 1]\''],
    ["dig([1],'x')", 'The given data requires an Integer index at ["x"], got \'String\''],
    ["get({'a'=>1},'a..b')", 'Syntax error in dotted-navigation string'],
    ["get('x','a')", "'dig' parameter 'data' expects a value of type Undef or Collection, got String"],
    ["getvar('Bad')", "'getvar' The given string does not start with a valid variable name"],
    ["getvar('facts[1]')", "'getvar' The given string does not start with a valid variable name"],
    [
      "match('a',Enum['a'])",
      'match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got Puppet::Pops::Types::PEnumType',
    ],
    [
      'type(1,bogus)',
      "'type' parameter 'inference_method' expects a match for Enum['detailed', 'generalized', 'reduced'], got 'bogus'",
    ],
    ["assert_type(Integer,'a')", 'assert_type(): expects an Integer value, got String'],
    ["assert_type('Integer[1,2]',3)", 'assert_type(): expects an Integer[1, 2] value, got Integer[3, 3]'],
    ["defined(Nope['x'])", 'Evaluation Error: Resource type not found: Nope'],
    ["call('nosuch')", "Unknown function 'nosuch'"],
    ["ceiling('x')", 'ceiling(): cannot convert given value to a floating point value.'],
    ['size(undef)', "'size' parameter 'arg' expects a value of type Collection, String, or Binary, got Undef"],
    ['join([1],2)', "'join' parameter 'delimiter' expects a String value, got Integer"],
    ['fqdn_rand(-1)', 'invalid argument - -1'],
    ["new(Integer,'z')", "'new' The string 'z' cannot be converted to Integer"],
    ["new(Boolean,'maybe')", "'new_boolean' The string 'maybe' cannot be converted to Boolean"],
    ['convert_to(1,Foo)', 'Evaluation Error: Resource type not found: Foo'],
    [
      "[1,[2]].tree_each({'include_containers'=>false,'include_values'=>false})",
      "Options 'include_containers' and 'include_values' cannot both be false",
    ],
    ["fail('a',1,undef,[1])", 'a 1  [1]'],
    ['md5(1)', 'no implicit conversion of Integer into String'],
    ["sha256('a','b')", 'sha256(): Wrong number of arguments given (2 for 1)'],
    ["lookup('x')", "Function lookup() did not find a value for the name 'x'"],
    [
      'lookup(1)',
      "The function 'lookup' was called with arguments it does not accept. It expects one of:\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (NameType = Variant[String, Array[String]] name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType = Any default_value)\n    rejected: expects 4 arguments, got 1\n  (NameType = Variant[String, Array[String]] name, ValueType = Type value_type?, MergeType = Variant[String[1], Hash[String, Scalar]] merge?)\n    rejected: parameter 'name' expects a NameType = Variant[String, Array[String]] value, got Integer\n  (OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: parameter 'options_hash' expects an OptionsWithName = Struct[{'name' => NameType = Variant[String, Array[String]], 'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] value, got Integer\n  (Variant[String, Array[String]] name, OptionsWithoutName = Struct[{'value_type' => Optional[ValueType = Type], 'default_value' => DefaultValueType = Any, 'override' => Optional[Hash[String, Any]], 'default_values_hash' => Optional[Hash[String, Any]], 'merge' => Optional[MergeType = Variant[String[1], Hash[String, Scalar]]]}] options_hash, BlockType = Callable[NameType = Variant[String, Array[String]]] block?)\n    rejected: expects 2 arguments, got 1",
    ],
    ["lookup('x',Integer,undef,'d')", 'Default value has wrong type, expects an Integer value, got String'],
    ["hiera_include('x')", "Function lookup() did not find a value for the name 'x'"],
    ["template('nosuch/x.erb')", "Could not find template 'nosuch/x.erb'"],
    [
      "template('/no/such.erb')",
      'Failed to parse template /no/such.erb:\n  Filepath: /opt/puppetlabs/puppet/lib/ruby/vendor_ruby/puppet/file_system/file_impl.rb\n  Line: 84\n  Detail: No such file or directory @ rb_sysopen - /no/such.erb\n',
    ],
  ])('%s', (code, message) => {
    expect(resultOf(`$r = ${code}`).replace(/^Evaluation Error: Error while evaluating a [\w ]+, /, '')).toBe(message);
  });
});

describe('generate', () => {
  it('reads a random UUID of the kernel, at each compile anew', () => {
    const recorder = new Inputs();
    const uuid = '5f0c9c0e-6f7b-4a53-9d07-3a4e0f0a6c11';
    const code = "generate('/bin/cat', '/proc/sys/kernel/random/uuid')";
    const result = compileSource(code, { inputs: recorder, drawUuid: () => uuid });
    expect(result.status === 'ok' && result.lastValue).toBe(`${uuid}\n`);
    expect(recorder.getResult().volatile).toEqual(['generate (line: 1)']);
    expect(resultOf("generate('/bin/cat', '/etc/hostname')")).toBe(
      'Evaluation Error: Error while evaluating a Function Call, Failed to execute generator /bin/cat: the compiler does not run commands',
    );
  });

  it('runs no command', () => {
    expect(resultOf("generate('/usr/bin/id')")).toBe(
      'Evaluation Error: Error while evaluating a Function Call, Failed to execute generator /usr/bin/id: the compiler does not run commands',
    );
  });
});
