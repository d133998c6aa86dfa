import { describe, expect, it } from 'vitest';
import { TopFrame } from '../../../../shared/puppet/evaluator/top-frame.ts';
import type { Node, Program, VariableExpression } from '../../../../shared/puppet/language/ast.ts';
import { parseProgram } from '../../../../shared/puppet/language/parser.ts';
import { forEachChild } from '../../../../shared/puppet/language/walk.ts';

function variablesIn(source: string): readonly VariableExpression[] {
  const found: VariableExpression[] = [];
  const visit = (node: Node | Program) => {
    if (node.kind === 'VariableExpression') found.push(node);
    else forEachChild(node, visit);
  };
  visit(parseProgram(source, { file: null }));
  return found;
}

const set = (frame: TopFrame, node: VariableExpression, value: string | null) => {
  if (node.expr.kind !== 'QualifiedName') throw new Error('a variable without a name');
  expect(frame.hasAt(node, node.expr.value)).toBe(false);
  frame.setAt(node, node.expr.value, value);
};

describe('the table of the top scope', () => {
  it('knows what a file set by its name, and by every place that names it', () => {
    const [first, second, again] = variablesIn('$a = 1 $b = 2 $a = 3');
    if (!first || !second || !again) throw new Error('three variables');
    const frame = new TopFrame(null);
    set(frame, first, 'one');
    set(frame, second, null);
    expect([frame.getOwn('a'), frame.getOwn('b'), frame.getOwn('c')]).toEqual(['one', null, undefined]);
    expect(frame.hasAt(again, 'a')).toBe(true);
    expect(frame.hasOwn('b')).toBe(true);
  });

  it('is empty in the next compile of the same syntax tree, which may set less and in another order', () => {
    const [a, b, c] = variablesIn('$a = 1 $b = 2 $c = 3');
    if (!a || !b || !c) throw new Error('three variables');
    const before = new TopFrame(null);
    for (const node of [a, b, c]) set(before, node, 'old');
    const frame = new TopFrame(null);
    set(frame, c, 'new');
    set(frame, a, 'new');
    expect(frame.getOwn('b')).toBeUndefined();
    expect([...frame.ownEntries()]).toEqual([
      ['c', 'new'],
      ['a', 'new'],
    ]);
    expect(before.getOwn('c')).toBe('old');
  });

  it('has one variable of a name, whichever file or template sets it first', () => {
    const [here] = variablesIn('$a = 1');
    const [there] = variablesIn('$a = 1');
    const [other] = variablesIn('$b = 1');
    if (!here || !there || !other) throw new Error('variables of three files');
    const frame = new TopFrame(null);
    set(frame, here, 'here');
    expect(frame.hasAt(there, 'a')).toBe(true);
    set(frame, other, 'other');
    frame.set('c', 'by name');
    const [c] = variablesIn('$c = 1');
    if (!c) throw new Error('a variable');
    expect(frame.hasAt(c, 'c')).toBe(true);
    expect([...frame.ownEntries()].map(([name]) => name)).toEqual(['a', 'b', 'c']);
    frame.unset('a');
    frame.unset('c');
    expect([...frame.ownEntries()]).toEqual([['b', 'other']]);
    expect(frame.hasAt(there, 'a')).toBe(false);
  });
});
