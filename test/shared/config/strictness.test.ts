import { describe, expect, it } from 'vitest';
import { readStrictness } from '../../../shared/config/strictness.ts';

describe('readStrictness', () => {
  it.each([
    [{}, 'error', true],
    [{ UNDERSTUDY_STRICT: '', UNDERSTUDY_STRICT_VARIABLES: '' }, 'error', true],
    [{ UNDERSTUDY_STRICT: 'warning', UNDERSTUDY_STRICT_VARIABLES: 'false' }, 'warning', false],
    [{ UNDERSTUDY_STRICT: 'off', UNDERSTUDY_STRICT_VARIABLES: 'true' }, 'off', true],
  ] as const)('reads %j', (variables, strict, strictVariables) => {
    expect(readStrictness(variables)).toEqual({ strict, strictVariables });
  });

  it.each([
    [{ UNDERSTUDY_STRICT: 'warn' }, "UNDERSTUDY_STRICT must be one of off, warning, error, not 'warn'"],
    [{ UNDERSTUDY_STRICT_VARIABLES: 'no' }, "UNDERSTUDY_STRICT_VARIABLES must be one of true, false, not 'no'"],
  ])('refuses %j', (variables, message) => {
    expect(() => readStrictness(variables)).toThrow(new RangeError(message));
  });
});
