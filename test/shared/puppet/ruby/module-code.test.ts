import { describe, expect, it } from 'vitest';
import { ModuleCode } from '../../../../shared/puppet/ruby/module-code.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

describe('the code that every compile may start with', () => {
  it.each([
    ['nothing', [], true],
    ['a file', [['call', 'read']], true],
    [
      'the modulepath',
      [
        ['call', 'setting'],
        ['name', 'modulepath'],
      ],
      true,
    ],
    [
      'the name of the environment',
      [
        ['call', 'setting'],
        ['name', 'environment'],
      ],
      true,
    ],
    [
      'a setting of the node',
      [
        ['call', 'setting'],
        ['name', 'certname'],
      ],
      false,
    ],
    [
      'a fact',
      [
        ['call', 'fact'],
        ['name', 'kernel'],
      ],
      false,
    ],
  ] as const)('is code whose load asked for what all compiles have: %s', (_what, pairs, isKept) => {
    const code = new ModuleCode();
    const call = PuppetHash.of(pairs);
    const recordedCalls = pairs.length > 0 ? [{ call, text: '', answer: '' }] : [];
    code.begin('code');
    code.add('f', { source: { path: '/f.rb', text: '' }, request: '', outcome: null, recordedCalls });
    expect(code.listKept().map(([key]) => key)).toEqual(isKept ? ['f'] : []);
    code.begin('code');
    expect(code.find('f') !== null).toBe(isKept);
  });
});
