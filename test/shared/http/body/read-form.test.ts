import { expect, it } from 'vitest';
import { readForm } from '../../../../shared/http/body/read-form.ts';

const LONG = 'x'.repeat(70_000);

it.each([
  ['a=1&b=%C3%BC+%2B&a=2'],
  ['a&=b&&c=d=e'],
  [''],
  [`a=${LONG}%C3%BC+%2B%26&b=2&a=1`],
  [`${LONG}=1&a=2`],
  [`${LONG}&a=2`],
  [`a=${LONG}%zz&b=1`],
  [`a=${LONG}%ff=&b=1`],
])('reads a form as URLSearchParams does: %.40s', (text) => {
  const expected = new URLSearchParams(text);
  const names = [...new Set(expected.keys())];
  const form = readForm(new TextEncoder().encode(text));
  expect([...form]).toEqual(names.map((name) => [name, expected.get(name)]));
});

it.each(['a=b c', 'a=\0', 'a=\n', 'ä=1'])('refuses what is not encoded: %j', (text) => {
  expect(() => readForm(new TextEncoder().encode(text))).toThrow('The form is not URL-encoded');
});

it('takes 1,000 parameters and no more', () => {
  const form = (count: number) =>
    new TextEncoder().encode(Array.from({ length: count }, (_, at) => `k${at}=v`).join('&'));
  expect([...readForm(form(1000))]).toHaveLength(1000);
  expect(() => readForm(form(1001))).toThrow('The form has more than 1000 parameters');
});

it.each([
  ['a%2520b%252Bc', 'a b+c'],
  ['%25zz', null],
  [`%2522${LONG}%25C3%25BC%2522`, `"${LONG}ü"`],
  [`${LONG}%25ff`, null],
])('decodes facts once more: %.30s', (value, expected) => {
  expect(readForm(new TextEncoder().encode(`facts=${value}`)).get('facts')).toBe(expected);
});
