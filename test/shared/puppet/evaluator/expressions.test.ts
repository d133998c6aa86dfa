import { describe, expect, it } from 'vitest';
import { displayString } from '../../../../shared/puppet/types/format/string-converter.ts';
import { evaluateSource, evaluationContext, failureOf } from '../../../helpers/evaluation.ts';

describe('values of expressions', () => {
  it.each([
    ['7 / 2', '3'],
    ['-7 / 2', '-4'],
    ['-7 % 3', '2'],
    ['7 / 2.0', '3.5'],
    ['1 << 4', '16'],
    ['-16 >> 2', '-4'],
    ['0x10 + 010', '24'],
    ['[1, 2] + 3', '[1, 2, 3]'],
    ['[1, 2, 3, 2] - 2', '[1, 3]'],
    ['[1] << [2]', '[1, [2]]'],
    ['{a => 1} + {b => 2, a => 3}', '{a => 3, b => 2}'],
    ['{a => 1} + [b, 2]', '{a => 1, b => 2}'],
    ['{a => 1, b => 2} - a', '{b => 2}'],
    ["'ABC' == 'abc'", 'true'],
    ["'É' == 'é'", 'false'],
    ['1 == 1.0', 'true'],
    ["[1, 'A'] == [1.0, a]", 'true'],
    ['{a => 1} == {a => 1.0}', 'true'],
    ["'_' < 'a'", 'true'],
    ["'b' in 'aBc'", 'true'],
    ['/b/ in [a, abc]', 'true'],
    ["'a' in {a => 1}", 'true'],
    ['Integer in [a, 1]', 'true'],
    ['Integer[1, 2] < Integer', 'true'],
    ['Integer <= Integer', 'true'],
    ["'abc' =~ /b(.)/ and $1 == 'c'", 'true'],
    ["if 'abc' =~ /(b)/ { $1 }", 'b'],
    ['case [1, abc] { [Integer, /c/]: { yes } default: { no } }', 'yes'],
    ['case b { *[a, b]: { yes } }', 'yes'],
    ['case 3 { default: { other } 3: { three } }', 'three'],
    ['x ? { /(x)/ => $1, default => no }', 'x'],
    ['unless false { 1 } else { 2 }', '1'],
    ["'abc'[1]", 'b'],
    ["'abc'[-2, 2]", 'bc'],
    ["'abc'[5]", ''],
    ["'a😀c'[1]", '😀'],
    ['[1, 2, 3][-1]', '3'],
    ['[1, 2, 3, 4][1, -2]', '[2, 3]'],
    ['[1][7, 1]', '[]'],
    ['{a => 1, b => undef, c => 3}[a, b, c]', '[1, 3]'],
    ['[*[1, 2], *undef, *{a => 1}]', '[1, 2, [a, 1]]'],
    ['[$a, [$b, $c]] = [1, [2, 3]] "$a$b$c"', '123'],
    ['[$a, $b] = {b => 2, a => 1} "$a$b"', '12'],
    ['$v = [1, undef, {a => b}] "$v"', '[1, , {a => b}]'],
    ['notice ? { notice => 1 }', '1'],
  ])('%s is %s', (source, expected) => {
    expect(displayString(evaluateSource(source))).toBe(expected);
  });
});

describe('functions and lambdas', () => {
  it.each([
    ['function f($a, $b = $a) { "$a$b" } f(1)', '11'],
    ['function f(*$a) { $a } f(1, 2)', '[1, 2]'],
    ['function f($n) { if $n < 2 { 1 } else { $n * f($n - 1) } } f(20)', '2432902008176640000'],
    ['function f(Integer $a) >> String { "$a" } f(3)', '3'],
  ])('%s is %s', (source, expected) => {
    expect(displayString(evaluateSource(source))).toBe(expected);
  });

  it('sees top scope, not the variables of blocks', () => {
    expect(failureOf('$a = 1 function f() { "$a$b" } if true { $c = 1 f() }')).toBe(
      "Evaluation Error: Unknown variable: 'b'. (file: site.pp, line: 1, column: 26)",
    );
  });
});

describe('errors', () => {
  it.each([
    ['1 / 0', 'Evaluation Error: Division by 0 (file: site.pp, line: 1, column: 5)'],
    ["'a' + 1", "Evaluation Error: The value 'a' cannot be converted to Numeric. (file: site.pp, line: 1, column: 1)"],
    [
      "'1' + 1",
      "Evaluation Error: The string '1' was automatically coerced to the numerical value 1 (file: site.pp, line: 1, column: 1)",
    ],
    [
      '9223372036854775807 + 1',
      "Evaluation Error: A '+' expression resulted in a value outside of Puppet Integer max range, got '+0x8000000000000000' (file: site.pp, line: 1, column: 21)",
    ],
    ['1.5 % 2', "Evaluation Error: Operator '%' is not applicable to a Float. (file: site.pp, line: 1, column: 1)"],
    [
      "'a' < 1",
      "Evaluation Error: Comparison of: String < Integer, is not possible. Caused by 'A String is not comparable to a non String'. (file: site.pp, line: 1, column: 5)",
    ],
    ['$a = 1 $a = 2', "Evaluation Error: Cannot reassign variable '$a' (file: site.pp, line: 1, column: 11)"],
    ['$x', "Evaluation Error: Unknown variable: 'x'. (file: site.pp, line: 1, column: 1)"],
    ['nope(1)', "Evaluation Error: Unknown function: 'nope'. (file: site.pp, line: 1, column: 1)"],
    [
      'function f($a) { $a } f()',
      "Evaluation Error: Error while evaluating a Function Call, 'f' expects 1 argument, got none (file: site.pp, line: 1, column: 23)",
    ],
    [
      'function f(Integer $a) { $a } f(x)',
      "Evaluation Error: Error while evaluating a Function Call, 'f' parameter 'a' expects an Integer value, got String (file: site.pp, line: 1, column: 31)",
    ],
    [
      'function f() >> Integer { a } f()',
      'Evaluation Error: Error while evaluating a Function Call, value returned from f has wrong type, expects an Integer value, got String (file: site.pp, line: 1, column: 31)',
    ],
    [
      'x ? { y => 1 }',
      "Evaluation Error: No matching entry for selector parameter with value 'x' (file: site.pp, line: 1, column: 1)",
    ],
    [
      '[$a, $b] = [1]',
      'Evaluation Error: Mismatched number of assignable entries and values, expected 2, got 1 (file: site.pp, line: 1, column: 10)',
    ],
    [
      'Integer[a]',
      'Evaluation Error: Integer-Type [] requires all arguments to be integers (or default). Got String (file: site.pp, line: 1, column: 9)',
    ],
    [
      'Array[1]',
      'Evaluation Error: Array-Type[] arguments must be types. Got Integer (file: site.pp, line: 1, column: 7)',
    ],
    ['Nope', 'Evaluation Error: Resource type not found: Nope (file: site.pp, line: 1, column: 1)'],
  ])('%s', (source, expected) => {
    expect(failureOf(source)).toBe(expected);
  });

  it('lets a stack overflow through, for the compile to report', () => {
    expect(() => evaluateSource('function f() { f() } f()')).toThrow(RangeError);
  });

  it('warns about a coerced string when strict is warning', () => {
    const context = evaluationContext({ settings: { strict: 'warning' } });
    expect(evaluateSource("'1' + 1", context)).toBe(2n);
    expect(context.log.entries).toEqual([
      {
        level: 'warning',
        message: "The string '1' was automatically coerced to the numerical value 1",
        issueCode: 'NUMERIC_COERCION',
        file: 'site.pp',
        line: 1,
        pos: 1,
      },
    ]);
  });
});
