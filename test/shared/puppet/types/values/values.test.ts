import { describe, expect, it } from 'vitest';
import { compileSource } from '../../../../helpers/compile-source.ts';

/** What `notice` says of an expression. */
function notice(expression: string): string | undefined {
  const result = compileSource(`notice(${expression})`);
  return result.status === 'needs' ? undefined : result.log[0]?.message;
}

// Each answer is that of `puppet apply`.
describe('Sensitive', () => {
  it.each([
    ["Sensitive({'a'=>1}) == Sensitive({'b'=>1})", 'false'],
    ["Sensitive({'a'=>1,'b'=>2}) == Sensitive({'b'=>2,'a'=>1})", 'true'],
    ['Sensitive([1]) == Sensitive(1)', 'false'],
    ['Sensitive(1) == Sensitive(1.0)', 'false'],
    ["Sensitive('1') == Sensitive(1)", 'false'],
    ["Sensitive('a') == Sensitive('A')", 'false'],
    ["Sensitive(undef) == Sensitive('undef')", 'false'],
    ["Sensitive(default) == Sensitive('default')", 'false'],
    ['Sensitive([]) == Sensitive({})', 'false'],
    ['Sensitive([[1],2]) == Sensitive([1,[2]])', 'false'],
    ["Sensitive({'a'=>1}) in [Sensitive({'b'=>1})]", 'false'],
    ["case Sensitive({'a'=>1}) { Sensitive({'b'=>1}): { 'b' } default: { 'none' } }", 'none'],
  ])('compares what it wraps: %s is %s', (expression, expected) => {
    expect(notice(expression)).toBe(expected);
  });

  it.each([
    ["{ Sensitive({'a'=>1}) => 'first', Sensitive({'b'=>1}) => 'second' }.length", '2'],
    ["([Sensitive(['a',1])] - [Sensitive({'x'=>'a','y'=>1})]).length", '1'],
    ["[Sensitive({'a'=>1}), Sensitive({'b'=>1})].unique.length", '2'],
    ["[Sensitive({'a'=>1}), Sensitive({'b'=>1})].group_by |$x| { $x }.length", '2'],
  ])('is kept apart by collections: %s is %s', (expression, expected) => {
    expect(notice(expression)).toBe(expected);
  });
});
