import { describe, expect, it } from 'vitest';
import { AccessRefused } from '../../../../shared/access/accounts/access-control.ts';
import { checkLabel, readLifetime } from '../../../../shared/access/accounts/token-lifetime.ts';

const SECOND = 1000;
const YEARS_10 = 10 * 365 * 24 * 3600 * SECOND;

describe('readLifetime', () => {
  it.each([
    ['90', 90 * SECOND],
    ['5s', 5 * SECOND],
    ['4m', 240 * SECOND],
    ['4h', 4 * 3600 * SECOND],
    ['2d', 2 * 86_400 * SECOND],
    ['1y', 365 * 86_400 * SECOND],
    ['10y', YEARS_10],
    ['0', YEARS_10],
    ['0h', YEARS_10],
  ])('reads %s', (text, milliseconds) => {
    expect(readLifetime(text)).toBe(milliseconds);
  });

  it.each(['4 h', '', 'h', '4w', '-1h', '1.5h', '4H', ' 4h', '99999999999'])('refuses %j', (text) => {
    expect(() => readLifetime(text)).toThrow(
      new AccessRefused(
        'schema-violation',
        `'${text}' is not a lifetime: a whole number and one of the units y, d, h, m, s, without a space`,
        { lifetime: text },
      ),
    );
  });

  it('refuses more than ten years', () => {
    expect(() => readLifetime('11y')).toThrow(
      new AccessRefused('schema-violation', "A lifetime of '11y' is longer than 10 years", { lifetime: '11y' }),
    );
  });
});

describe('checkLabel', () => {
  it.each(['a', 'four-hour token', 'x'.repeat(200)])('takes %s', (label) => {
    expect(() => checkLabel(label)).not.toThrow();
  });

  it.each(['', '  ', 'a,b', 'x'.repeat(201)])('refuses %j', (label) => {
    expect(() => checkLabel(label)).toThrow(
      new AccessRefused('schema-violation', 'A label has at most 200 characters, no comma, and is not blank', {
        label,
      }),
    );
  });
});
