import { describe, expect, it } from 'vitest';
import { readStrictness } from '../../../shared/config/strictness.ts';

describe('readStrictness', () => {
  it.each([
    [{}, 'openvox-8', 'error', true],
    [{ UNDERSTUDY_STRICT: '', UNDERSTUDY_STRICT_VARIABLES: '' }, 'openvox-8', 'error', true],
    [{ UNDERSTUDY_STRICT: 'warning', UNDERSTUDY_STRICT_VARIABLES: 'false' }, 'openvox-8', 'warning', false],
    [{ UNDERSTUDY_LANGUAGE: 'openvox-9', UNDERSTUDY_STRICT: 'off' }, 'openvox-9', 'off', true],
  ] as const)('reads %j', (variables, language, strict, strictVariables) => {
    expect(readStrictness(variables)).toEqual({ language, strict, strictVariables });
  });

  it.each([
    [{ UNDERSTUDY_LANGUAGE: '9' }, "UNDERSTUDY_LANGUAGE must be one of puppet-8, openvox-8, openvox-9, not '9'"],
    [{ UNDERSTUDY_STRICT: 'warn' }, "UNDERSTUDY_STRICT must be one of off, warning, error, not 'warn'"],
    [{ UNDERSTUDY_STRICT_VARIABLES: 'no' }, "UNDERSTUDY_STRICT_VARIABLES must be one of true, false, not 'no'"],
  ])('refuses %j', (variables, message) => {
    expect(() => readStrictness(variables)).toThrow(new RangeError(message));
  });
});
