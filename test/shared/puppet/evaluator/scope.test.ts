import { describe, expect, it } from 'vitest';
import { Scope } from '../../../../shared/puppet/evaluator/scope.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { evaluationContext } from '../../../helpers/evaluation.ts';

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
    ['trusted', "Attempt to assign to a reserved variable name: 'trusted'"],
    ['server_facts', "Attempt to assign to a reserved variable name: 'server_facts'"],
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
    expect(() => context.topScope.getVariable('a::b')).toThrow("Undefined variable 'a::b'; class a could not be found");
    expect(() => new Scope(context, null, { kind: 'top' }).getVariable('x')).toThrow("Undefined variable 'x'; ");
  });

  it('gives all variables, inner ones over outer ones', () => {
    const { topScope } = evaluationContext({ facts: new PuppetHash().set('kernel', 'Linux') });
    topScope.setVariable('a', 'top');
    const scope = topScope.newScope({ kind: 'class', source: unit('class', 'c') });
    scope.setVariable('a', 'class');
    scope.setVariable('b', null);
    const names = ['kernel', 'environment', 'facts', 'trusted', 'a'];
    expect([...scope.variables().all().keys()]).toEqual(names);
    expect(scope.variables().all().get('a')).toBe('class');
  });
});

/**
 * A node whose code declared `derived`, which inherits `base`; `derived` declares the define `d`.
 */
function world() {
  const facts = PuppetHash.of([
    ['kernel', 'Linux'],
    ['shadowed', 'fact'],
    ['none', null],
  ]);
  const context = evaluationContext({ facts, settings: { strict: 'off' } });
  for (const [name, value] of [
    ['tier', 'gold'],
    ['shadowed', 'parameter'],
    ['odd::name', 'sent'],
  ] as const) {
    context.node.parameters.set(name, value);
  }
  const top = context.topScope;
  top.setVariable('a', 'top a');
  top.setVariable('u', null);
  const node = top.newScope({ kind: 'node', source: unit('node', 'n') });
  node.setVariable('b', 'node b');
  node.setVariable('a2', 'node a2');
  const base = node.newScope({ kind: 'class', source: unit('class', 'base') });
  top.setClassScope('base', base);
  base.setVariable('x', 'base x');
  base.setVariable('a2', 'base a2');
  const derived = base.newScope({ kind: 'class', source: unit('class', 'derived'), inherits: 'base' });
  top.setClassScope('derived', derived);
  derived.setVariable('y', 'derived y');
  const define = derived.newScope({ kind: 'define', source: unit('define', 'd') });
  define.setVariable('z', 'define z');
  top.setSettings(() => new Map([['vardir', '/var']]));
  const scopes = { top, node, base, derived, define };
  return { context, scopes };
}

type ScopeName = keyof ReturnType<typeof world>['scopes'];

/**
 * Puppet: a scope sees its own, its inherited class's, the node's and the top scope's; qualified
 * names say which.
 */
const LOOKUPS: readonly (readonly [from: ScopeName, name: string, expected: Value | undefined, exists: boolean])[] = [
  ['top', 'a', 'top a', true],
  ['top', 'b', undefined, false],
  ['top', 'u', null, true],
  ['top', 'nope', undefined, false],
  ['top', 'kernel', 'Linux', true],
  ['top', 'tier', 'gold', true],
  ['top', 'shadowed', 'parameter', true],
  ['top', 'none', null, true],
  ['top', 'environment', 'production', true],
  ['top', 'module_name', null, true],
  ['top', '0', null, false],
  ['top', '::a', 'top a', true],
  ['top', '::b', undefined, false],
  ['top', '::0', null, false],
  ['top', '::module_name', null, true],
  ['top', 'base::x', 'base x', true],
  ['top', '::base::x', 'base x', true],
  ['top', 'derived::x', 'base x', true],
  ['top', 'derived::y', 'derived y', true],
  ['top', 'base::nope', undefined, false],
  ['top', 'absent::x', undefined, false],
  ['top', 'odd::name', 'sent', false],
  ['top', 'settings::vardir', '/var', true],
  ['top', 'settings::nope', undefined, false],
  ['node', 'a', 'top a', true],
  ['node', 'b', 'node b', true],
  ['node', 'kernel', 'Linux', true],
  ['node', 'x', undefined, false],
  ['base', 'x', 'base x', true],
  ['base', 'b', 'node b', true],
  ['base', 'a2', 'base a2', true],
  ['base', '::a2', undefined, false],
  ['base', 'y', undefined, false],
  ['derived', 'y', 'derived y', true],
  ['derived', 'x', 'base x', true],
  ['derived', 'a2', 'base a2', true],
  ['derived', 'b', 'node b', true],
  ['derived', 'z', undefined, false],
  ['define', 'z', 'define z', true],
  ['define', 'y', undefined, false],
  ['define', 'x', undefined, false],
  ['define', 'a2', 'node a2', true],
  ['define', 'derived::y', 'derived y', true],
];

describe('lookups', () => {
  it.each(LOOKUPS)('from %s: $%s is %j (there: %j)', (from, name, expected, exists) => {
    const scope = world().scopes[from];
    expect([scope.lookupVariable(name), scope.exists(name)]).toEqual([expected, exists]);
    expect(scope.includes(name)).toBe(expected !== undefined && expected !== null);
  });

  it('by qualified names do not outlive the variable', () => {
    const { top, base } = world().scopes;
    expect(top.lookupVariable('base::x')).toBe('base x');
    base.unsetVariable('x');
    expect(top.lookupVariable('base::x')).toBeUndefined();
  });

  it.each([
    ['error', 'nope', "Undefined variable 'nope'; "],
    ['error', '::nope', "Undefined variable '::nope'; "],
    ['error', '::absent::x', "Undefined variable 'absent::x'; class absent could not be found"],
    ['error', 'absent::x', "Undefined variable 'absent::x'; class absent could not be found"],
  ] as const)('of what is not there fail with strict=%s: $%s', (strict, name, message) => {
    const { topScope } = evaluationContext({ settings: { strict } });
    expect(() => topScope.getVariable(name)).toThrow(expect.objectContaining({ message }));
  });

  it('of what is not there warn once with strict=warning, and are undef', () => {
    const { topScope, log } = evaluationContext({ settings: { strict: 'warning' } });
    expect([topScope.getVariable('nope'), topScope.getVariable('nope')]).toEqual([null, null]);
    expect(log.entries).toEqual([
      { level: 'warning', message: "Undefined variable 'nope'; \n   (file & line not available)" },
    ]);
  });

  it('of what is not there are undef with strict=off', () => {
    const { topScope, log } = evaluationContext({ settings: { strict: 'off' } });
    expect([topScope.getVariable('nope'), log.entries]).toEqual([null, []]);
  });
});

describe('all variables of a scope', () => {
  it.each<[ScopeName, readonly string[]]>([
    ['node', ['a', 'b', 'a2']],
    ['derived', ['a', 'b', 'a2', 'x', 'y']],
    ['define', ['a', 'b', 'a2', 'z']],
  ])('%s, with those around it', (from, own) => {
    const { top, ...others } = world().scopes;
    const hash = { top, ...others }[from].variables().all();
    const sent = new Set([...world().scopes.top.variables().all().keys()].filter((name) => name !== 'a'));
    expect([...hash.keys()].filter((name) => !sent.has(name))).toEqual(own);
  });

  it('leave out what is undef', () => {
    const { derived, top } = world().scopes;
    expect([derived.variables().get('y'), top.variables().get('u')]).toEqual(['derived y', undefined]);
    expect(top.variables().all().has('u')).toBe(false);
  });
});

describe('frames', () => {
  it('hide what lies below, and let it show again', () => {
    const { topScope } = evaluationContext();
    topScope.setVariable('a', 'outer');
    const before = topScope.mark();
    topScope.pushLocal(new Map([['a', 'inner']]));
    topScope.pushMatch(['m', null]);
    topScope.setVariable('b', 'in the block');
    expect(['a', 'b', '0', '1'].map((name) => topScope.lookupVariable(name))).toEqual([
      'inner',
      'in the block',
      'm',
      null,
    ]);
    topScope.restore(before);
    expect(['a', 'b', '0'].map((name) => topScope.lookupVariable(name))).toEqual(['outer', undefined, null]);
  });

  it.each([
    ['b', 'a', 'f: default expression for $a tries to illegally access not yet evaluated $b'],
    ['a', 'b', 'f: expects a value for parameter $a'],
  ])('of parameters refuse to read $%s in the default of $%s', (read, parameter, message) => {
    const { topScope } = evaluationContext();
    const frame = topScope.pushParameters('f', ['a', 'b']);
    expect(() => frame.evaluateDefault(parameter, () => topScope.lookupVariable(read) ?? null)).toThrow(
      expect.objectContaining({ message }),
    );
  });

  it('of parameters refuse assignments in a default', () => {
    const { topScope } = evaluationContext();
    const frame = topScope.pushParameters('f', ['a']);
    const assign = () => {
      topScope.setVariable('x', 1n);
      return null;
    };
    expect(() => frame.evaluateDefault('a', assign)).toThrow('Attempt to assign variable x when evaluating parameters');
    topScope.setVariable('x', 1n);
    expect([...frame.ownEntries()]).toEqual([['x', 1n]]);
  });
});
