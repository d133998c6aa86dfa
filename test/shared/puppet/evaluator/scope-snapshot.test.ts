import { describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import type { Scope } from '../../../../shared/puppet/evaluator/scope.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { evaluationContext } from '../../../helpers/evaluation.ts';

function unit(kind: 'class' | 'node', name: string) {
  return { kind, name, moduleName: null, isChildOf: () => false };
}

/** A derived class in a node's scope, with variables that hide others in each way. */
function scopes(facts: PuppetHash): { readonly top: Scope; readonly derived: Scope } {
  const top = evaluationContext({ facts }).topScope;
  top.setVariable('of_top', 'top');
  top.setVariable('shadowed', 'top');
  const base = top.newScope({ kind: 'class', source: unit('class', 'base') });
  top.setClassScope('base', base);
  base.setVariable('of_base', 'base');
  base.setVariable('base_undef', null);
  const node = top.newScope({ kind: 'node', source: unit('node', 'n') });
  node.setVariable('base_undef', 'node');
  node.setVariable('kernel', 'node');
  const derived = node.newScope({ kind: 'class', source: unit('class', 'derived'), inherits: 'base' });
  derived.setVariable('shadowed', 'derived');
  derived.setVariable('hidden_fact', null);
  return { top, derived };
}

const FACTS: readonly (readonly [string, string | null])[] = [
  ['kernel', 'fact'],
  ['plain_fact', 'fact'],
  ['undef_fact', null],
  ['hidden_fact', 'fact'],
  ['0digit', 'fact'],
];
const NAMES = ['of_top', 'shadowed', 'of_base', 'base_undef', 'kernel', 'plain_fact', 'undef_fact', 'hidden_fact'];
const OTHERS = [
  '0digit',
  '0',
  'none',
  'environment',
  'facts',
  'trusted',
  'server_facts',
  'module_name',
  'base::of_base',
];

describe('ScopeSnapshot', () => {
  it.each([...NAMES, ...OTHERS])('has %s by its name as it has it among all', (name) => {
    const { derived, top } = scopes(PuppetHash.of(FACTS));
    derived.pushMatch(['a match']);
    derived.pushLocal(new Map([['of_block', 'block']]));
    for (const scope of [derived, top]) {
      expect(scope.variables().get(name)).toEqual(scope.variables().all().get(name));
    }
  });

  it('has the value of the innermost scope, and nothing that is undef', () => {
    const variables = scopes(PuppetHash.of(FACTS)).derived.variables();
    expect(NAMES.map((name) => variables.get(name))).toEqual([
      'top',
      'derived',
      'base',
      'node',
      'fact',
      'fact',
      undefined,
      undefined,
    ]);
  });

  it('stays as it was when variables are set', () => {
    const { derived } = scopes(PuppetHash.of(FACTS));
    const before = derived.variables();
    derived.setVariable('later', 1n);
    derived.setVariable('plain_fact', 'set');
    expect([before.get('later'), before.get('plain_fact')]).toEqual([undefined, 'fact']);
    expect([derived.variables().get('later'), derived.variables().get('plain_fact')]).toEqual([1n, 'set']);
  });

  it('reads of the facts what it is asked for', () => {
    const inputs = new Inputs();
    const { derived } = scopes(inputs.recordFacts(PuppetHash.of(FACTS)));
    const before = Object.keys(inputs.getResult().facts);
    const variables = derived.variables();
    for (const name of ['plain_fact', 'none', 'shadowed', 'hidden_fact']) variables.get(name);
    const read = Object.keys(inputs.getResult().facts).filter((path) => !before.includes(path));
    expect(read).toEqual(['["none"]', '["plain_fact"]']);
    variables.all();
    expect(Object.keys(inputs.getResult().facts)).toEqual(['[]']);
  });
});
