import { describe, expect, it } from 'vitest';
import { bytesOf, escapeBytes, highByte, unescapeBytes } from '../../../shared/util/escaped-bytes.ts';

const ALL = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe('escapeBytes', () => {
  it('gives one character for each byte, and the bytes back', () => {
    expect(escapeBytes(ALL)).toHaveLength(256);
    expect(Uint8Array.from(bytesOf(escapeBytes(ALL)))).toEqual(ALL);
  });

  it('keeps ASCII as it is, and mixes with no text that is well-formed', () => {
    expect(escapeBytes(Buffer.from('abc'))).toBe('abc');
    expect(escapeBytes(Buffer.from([0xe9])).isWellFormed()).toBe(false);
  });
});

describe('bytesOf', () => {
  it.each([
    ['a text', 'é😀', Buffer.from('é😀')],
    [
      'bytes behind a pair of surrogates',
      `😀${escapeBytes(Buffer.from([0x80]))}`,
      Buffer.from([...Buffer.from('😀'), 0x80]),
    ],
  ])('gives the bytes of %s', (_, text, bytes) => {
    expect(Buffer.from(bytesOf(text))).toEqual(bytes);
  });
});

it.each([
  ['\udcff', [0xff]],
  ['\udc7f', null],
  ['a', null],
  ['😀', null],
])('highByte(%j) is %j', (char, byte) => expect(highByte(char)).toEqual(byte));

it.each([
  ['well-formed', 'é', 'é'],
  ['bytes that are UTF-8', escapeBytes(Buffer.from('x✓')), 'x✓'],
  ['bytes that are not', escapeBytes(Buffer.from([0xff])), '\ufffd'],
])('unescapeBytes reads what is %s', (_, text, expected) => expect(unescapeBytes(text)).toBe(expected));
