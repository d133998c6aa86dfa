import { describe, expect, it } from 'vitest';
import { NextSignal, ReturnSignal } from '../../../../shared/puppet/evaluator/control-flow.ts';
import type { PuppetFunction } from '../../../../shared/puppet/evaluator/ports.ts';
import { displayString } from '../../../../shared/puppet/types/format/string-converter.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { evaluateSource, evaluationContext, failureOf } from '../../../helpers/evaluation.ts';

function native(name: string, call: PuppetFunction['call']): PuppetFunction {
  return { name, call, getSignatures: () => [] };
}

/** Stand-ins for the functions that calls are made of. */
const functions = [
  native('with', (_site, args, block) => block?.call(...args) ?? null),
  native('each', (_site, [list], block) => {
    for (const item of Array.isArray(list) ? (list as Value[]) : []) block?.call(item);
    return list ?? null;
  }),
  native('next', (_site, [value]) => {
    throw new NextSignal(value ?? null, {});
  }),
  native('return', (_site, [value]) => {
    throw new ReturnSignal(value ?? null, {});
  }),
];

const context = () => evaluationContext({ functions });

describe('calls', () => {
  it.each([
    ['with(1) |$x| { $x + 1 }', '2'],
    ['with(1) |$x, $y = $x + 1| { [$x, $y] }', '[1, 2]'],
    ['with(1, 2, 3) |$x, *$rest| { $rest }', '[2, 3]'],
    ['with(1) |$x, *$rest| { $rest }', '[]'],
    ['with(1, 2) |$x| { $x }', '1'],
    ['with(*[1, 2], 3) |*$all| { $all }', '[1, 2, 3]'],
    ['$x = 1 with(2) |$x| { with(3) |$y| { [$x, $y, $::x] } }', '[2, 3, 1]'],
    ["1.with |$x| { 'a' =~ /(a)/ $1 }", 'a'],
    ['with(1) |$x| { next(5) 6 }', '5'],
    ['function f($l) { $l.each |$x| { if $x == 2 { return($x) } } none } f([1, 2, 3])', '2'],
    ['function f() { next(4) 5 } f()', '4'],
  ])('%s is %s', (source, expected) => {
    expect(displayString(evaluateSource(source, context()))).toBe(expected);
  });

  it.each([
    [
      'with() |$x| { $x }',
      'Evaluation Error: Parameter $x is required but no value was given (file: site.pp, line: 1, column: 9)',
    ],
    [
      "with('a') |Integer $x| { $x }",
      "Evaluation Error: Error while evaluating a Function Call, block parameter 'x' expects an Integer value, got String (file: site.pp, line: 1, column: 1)",
    ],
    [
      'with(1) |$x| >> String { $x }',
      'Evaluation Error: Error while evaluating a Function Call, value returned from lambda has wrong type, expects a String value, got Integer (file: site.pp, line: 1, column: 1)',
    ],
    [
      'with(2) |$facts| { }',
      "Evaluation Error: Error while evaluating a Function Call, Attempt to assign to a reserved variable name: 'facts' (file: site.pp, line: 1, column: 1)",
    ],
    [
      'function f(Integer $a, $trusted = $a) { $a } f(1)',
      "Evaluation Error: Error while evaluating a Function Call, Attempt to assign to a reserved variable name: 'trusted' (file: site.pp, line: 1, column: 46)",
    ],
    [
      'with() |$x = $y, $y = 1| { $x }',
      'Evaluation Error: Error while evaluating a Function Call, lambda: default expression for $x tries to illegally access not yet evaluated $y (file: site.pp, line: 1, column: 1)',
    ],
    [
      'function f($a = 1, $b) { } f(1, 2)',
      'Evaluation Error: Parameter $b is required but appears after optional parameters (file: site.pp, line: 1, column: 20)',
    ],
    [
      'function f($a) { } f(1) |$x| { }',
      "Evaluation Error: Error while evaluating a Function Call, 'f' does not expect a block (file: site.pp, line: 1, column: 20)",
    ],
    ["'x'.nope", "Evaluation Error: Unknown function: 'nope'. (file: site.pp, line: 1, column: 4)"],
  ])('%s', (source, message) => {
    expect(failureOf(source, context())).toBe(message);
  });

  it('restores the variables of a scope after a block was left by a jump', () => {
    const inside = context();
    expect(evaluateSource('[1, 2].each |$x| { $y = $x next() } $x = 3 $x', inside)).toBe(3n);
  });
});
