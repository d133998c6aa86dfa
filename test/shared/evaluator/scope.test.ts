import { describe, expect, it } from 'vitest';
import { Scope } from '../../../shared/evaluator/scope.ts';
import { PuppetHash } from '../../../shared/types/puppet-hash.ts';
import type { Value } from '../../../shared/types/values.ts';
import { evaluationContext } from '../../helpers/evaluation.ts';

/** Facts that note which names were asked for. */
class NotingHash extends PuppetHash {
  readonly asked: Value[] = [];

  override get(key: Value): Value | undefined {
    this.asked.push(key);
    return super.get(key);
  }
}

function unit(kind: 'class' | 'define' | 'node', name: string) {
  return { kind, name, moduleName: null, isChildOf: () => false };
}

describe('Scope', () => {
  it('finds variables in the inherited class before the enclosing scope', () => {
    const top = evaluationContext().topScope;
    top.setVariable('a', 'top');
    top.setVariable('b', 'top');
    const base = top.newScope({ kind: 'class', source: unit('class', 'base') });
    top.setClassScope('base', base);
    base.setVariable('a', 'base');
    const derived = base.newScope({ kind: 'class', source: unit('class', 'derived'), inherits: 'base' });
    expect(['a', 'b', 'base::a', '::a', 'c'].map((name) => derived.lookupVariable(name))).toEqual([
      'base',
      'top',
      'base',
      'top',
      undefined,
    ]);
  });

  it('does not find variables of the class that declared a define', () => {
    const top = evaluationContext().topScope;
    const node = top.newScope({ kind: 'node', source: unit('node', 'n') });
    node.setVariable('x', 'node');
    const user = node.newScope({ kind: 'class', source: unit('class', 'user') });
    user.setVariable('y', 'class');
    const define = user.newScope({ kind: 'define', source: unit('define', 'd') });
    expect(define.lookupVariable('x')).toBe('node');
    expect(define.lookupVariable('y')).toBeUndefined();
    expect(define.globalScope).toBe(node);
  });

  it('reads facts one by one, when they are asked for', () => {
    const facts = new NotingHash().set('osfamily', 'Debian').set('kernel', 'Linux');
    const { topScope } = evaluationContext({ facts });
    const scope = topScope.newScope({ kind: 'class', source: unit('class', 'c') });
    expect(scope.lookupVariable('osfamily')).toBe('Debian');
    expect(scope.lookupVariable('::nope')).toBeUndefined();
    expect(facts.asked).toEqual(['osfamily', 'nope']);
  });

  it('lets match variables end with what set them', () => {
    const { topScope } = evaluationContext();
    const before = topScope.mark();
    topScope.pushMatch(['ab', 'b', undefined]);
    expect(['0', '1', '2', '3'].map((name) => topScope.lookupVariable(name))).toEqual(['ab', 'b', null, null]);
    topScope.restore(before);
    expect(topScope.lookupVariable('0')).toBeNull();
  });

  it.each([
    ['a', "Cannot reassign variable '$a'"],
    ['1', "Cannot assign to a numeric match result variable '$1'"],
    ['facts', "Attempt to assign to a reserved variable name: 'facts'"],
    ['osfamily', "Cannot reassign variable '$osfamily'"],
  ])('refuses to set $%s', (name, message) => {
    const { topScope } = evaluationContext({ facts: new PuppetHash().set('osfamily', 'Debian') });
    topScope.setVariable('a', 1n);
    expect(() => topScope.setVariable(name, 2n)).toThrow(message);
  });

  it('allows a name again in a table of its own', () => {
    const { topScope } = evaluationContext();
    topScope.setVariable('a', 1n);
    topScope.withLocal(new Map(), () => {
      topScope.setVariable('a', 2n);
      expect(topScope.lookupVariable('a')).toBe(2n);
      expect(topScope.lookupVariable('::a')).toBe(1n);
      expect(topScope.withGlobalScope((scope) => scope.lookupVariable('a'))).toBe(1n);
    });
    expect(topScope.lookupVariable('a')).toBe(1n);
  });

  it('tells why a qualified variable is not there', () => {
    const context = evaluationContext();
    expect(() => context.topScope.variable('a::b')).toThrow("Undefined variable 'a::b'; class a could not be found");
    expect(() => new Scope(context, null, { kind: 'top' }).variable('x')).toThrow("Undefined variable 'x'; ");
  });

  it('gives all variables, inner ones over outer ones', () => {
    const { topScope } = evaluationContext({ facts: new PuppetHash().set('kernel', 'Linux') });
    topScope.setVariable('a', 'top');
    const scope = topScope.newScope({ kind: 'class', source: unit('class', 'c') });
    scope.setVariable('a', 'class');
    scope.setVariable('b', null);
    const names = ['kernel', 'environment', 'facts', 'trusted', 'a'];
    expect([...scope.toHash().keys()]).toEqual(names);
    expect(scope.toHash().get('a')).toBe('class');
  });
});
