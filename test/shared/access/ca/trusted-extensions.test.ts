import { expect, it } from 'vitest';
import { extensionText } from '../../../../shared/access/ca/trusted-extensions.ts';

const LONG = 'x'.repeat(300);
const hexOf = (text: string) => Buffer.from(text, 'utf8').toString('hex');

it.each([
  ['a UTF-8 string', '0c03776562', 'web'],
  ['a UTF-8 string of other letters', `0c02${hexOf('é')}`, 'é'],
  ['a printable string', '1303776562', 'web'],
  ['an IA5 string', '1603776562', 'web'],
  ['an empty string', '0c00', ''],
  ['a string with a long length', `0c82012c${hexOf(LONG)}`, LONG],
  ['the bare text of old releases', hexOf('web'), 'web'],
  ['nothing', '', ''],
  ['another type of string', '0403776562', '\u0004\u0003web'],
  ['a string and more', '0c0377656262', '\f\u0003webb'],
  ['a truncated string', '0c047765', '\f\u0004we'],
  ['a bare text that begins as a string', '0c', '\f'],
])('takes the text of %s', (_, hexadecimal, text) => {
  expect(extensionText(new Uint8Array(Buffer.from(hexadecimal, 'hex')))).toBe(text);
});
