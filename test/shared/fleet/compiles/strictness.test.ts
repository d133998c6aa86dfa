import { expect, it } from 'vitest';
import { compilerIdentity } from '../../../../shared/fleet/compiles/compiler-identity.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../../../shared/puppet/compiler/default-settings.ts';

it('makes the strictness an input of each catalog', () => {
  const server = { name: 'puppet', ip: null, version: '8.0.0', release: '1' };
  const identities = (['off', 'warning', 'error'] as const).flatMap((strict) =>
    [true, false].map((strictVariables) =>
      compilerIdentity({ settings: { ...DEFAULT_COMPILE_SETTINGS, strict, strictVariables }, server }),
    ),
  );
  expect(new Set(identities).size).toBe(6);
});
