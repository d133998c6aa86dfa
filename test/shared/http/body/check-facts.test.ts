import { describe, expect, it } from 'vitest';
import { BodyRefused } from '../../../../shared/http/body/body-kinds.ts';
import { checkFacts } from '../../../../shared/http/body/check-facts.ts';

const LONG = 'x'.repeat(70_000);

/** The fault and the rest of a text that is refused. */
function refusalOf(text: string): readonly unknown[] {
  try {
    return [checkFacts(text)];
  } catch (error) {
    return error instanceof BodyRefused ? [error.fault, error.json?.rest] : [String(error)];
  }
}

describe('facts', () => {
  it('of a short text are left as they are, right or wrong', () => {
    expect(checkFacts('{"a": 1 ')).toBe('{"a": 1 ');
  });

  it('of a long text lose white space and comments, and nothing else', () => {
    const blanks = ' \n\t'.repeat(30_000);
    const text = `{"a" :${blanks}[1, 2.50, 12345678901234567890, null, true, "ü\\u0041"] /* ${LONG} */ , "b": {"c": "${LONG}"}}`;
    expect(checkFacts(text)).toBe(`{"a":[1,2.5,12345678901234567890,null,true,"üA"],"b":{"c":"${LONG}"}}`);
  });

  it.each([
    ['not ended', `{"a":"${LONG}"`, ['not-json', '{"a":"xxxxxxxxx']],
    ['with too many values', `[${'1,'.repeat(100_000)}1]`, ['too-many-values', undefined]],
    ['with a number without an end', `[${'1'.repeat(70_000)}]`, ['not-json', '111111111111111']],
    ['too deep', `${'['.repeat(101)}"${LONG}"${']'.repeat(101)}`, ['not-json', '[[[[[[[[[[[[[[[']],
  ])('that are %s are refused', (_, text, expected) => {
    expect(refusalOf(text).map((one) => (typeof one === 'string' ? one.slice(0, 15) : one))).toEqual(expected);
  });
});
