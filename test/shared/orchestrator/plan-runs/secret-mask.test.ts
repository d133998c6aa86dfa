import { describe, expect, it } from 'vitest';
import { SecretMask } from '../../../../shared/orchestrator/plan-runs/secret-mask.ts';

describe('a mask of secrets', () => {
  it.each([
    ['as it is', 'say "geheim" now', 'say "[Sensitive]" now'],
    ['in JSON', `{"x": ${JSON.stringify('a"b\\c\nd')}}`, '{"x": "[Sensitive]"}'],
    ['in a literal of Puppet', "'it\\'s'", "'[Sensitive]'"],
    ['a line of it', 'first line', '[Sensitive]'],
    ['a number', 'pin 90210', 'pin [Sensitive]'],
    ['nothing', 'other text, and abc', 'other text, and abc'],
  ])('covers %s', (_, text, masked) => {
    const mask = new SecretMask(['geheim', 'a"b\\c\nd', ["it's"], { key: 'first line\nsecond line' }, 90210, 'abc']);
    expect(mask.text(text)).toBe(masked);
    expect(mask.isIn({ deep: [text] })).toBe(text !== masked);
  });

  it('covers the longest secret first, and names of keys', () => {
    const mask = new SecretMask(['word', 'password']);
    expect(mask.json({ password: ['a word', 5, null] })).toEqual({ '[Sensitive]': ['a [Sensitive]', 5, null] });
  });
});
