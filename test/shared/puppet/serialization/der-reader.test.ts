import { describe, expect, it } from 'vitest';
import {
  DER_TAG,
  DerError,
  isConstructed,
  readDerElement,
  readDerElements,
  readDerOid,
  readDerTime,
} from '../../../../shared/puppet/serialization/der-reader.ts';

const bytesOf = (hexadecimal: string) => new Uint8Array(Buffer.from(hexadecimal, 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const elementOf = (tag: number, content: Uint8Array) => ({ tag, content, whole: content });

describe('readDerElements', () => {
  it.each([
    ['', []],
    ['0500', [[0x05, '', '0500']]],
    ['020103', [[0x02, '03', '020103']]],
    [
      '300302010504020607',
      [
        [0x30, '020105', '3003020105'],
        [0x04, '0607', '04020607'],
      ],
    ],
    ['0481020102', [[0x04, '0102', '0481020102']]],
    ['0484000000010a', [[0x04, '0a', '0484000000010a']]],
  ])('splits %j', (hexadecimal, elements) => {
    const found = readDerElements(bytesOf(hexadecimal));
    expect(found.map(({ tag, content, whole }) => [tag, hexOf(content), hexOf(whole)])).toEqual(elements);
  });

  it.each([
    ['7f', 127],
    ['8180', 128],
    ['81ff', 255],
    ['820100', 256],
    ['82ffff', 65_535],
    ['83010000', 65_536],
  ])('reads the length %s as %i, and the element after it', (length, size) => {
    const [first, second, ...rest] = readDerElements(bytesOf(`04${length}${'ab'.repeat(size)}020101`));
    expect(first?.content).toHaveLength(size);
    expect(first?.whole).toHaveLength(1 + length.length / 2 + size);
    expect(second && hexOf(second.whole)).toBe('020101');
    expect(rest).toEqual([]);
  });

  const truncated = 'A DER element is truncated';
  const unsupported = 'A DER element is truncated, or its length is indefinite or of more than four bytes';
  it.each([
    ['without a length', '30', truncated],
    ['without its content', '3001', truncated],
    ['with too little content', '04030102', truncated],
    ['after a whole one, without a length', '050004', truncated],
    ['after a whole one, with too little content', '0500040201', truncated],
    ['without the bytes of its length', '3082', truncated],
    ['with too few bytes of its length', '308201', truncated],
    ['with a length beyond 32 bits of sign', '0484ffffffff00', truncated],
    ['with an indefinite length', '30800201030000', unsupported],
    ['with an indefinite length and 128 bytes', `3080${'00'.repeat(128)}`, unsupported],
    ['with a length of five bytes', '04850000000001ff', unsupported],
    ['with the reserved form of a length', `04ff${'00'.repeat(130)}`, unsupported],
  ])('refuses an element %s', (_, hexadecimal, message) => {
    expect(() => readDerElements(bytesOf(hexadecimal))).toThrow(new DerError(message));
  });
});

describe('readDerElement', () => {
  it.each([
    [0, '020103'],
    [3, '0500'],
  ])('reads the element at %i, and ignores what follows', (at, whole) => {
    expect(hexOf(readDerElement(bytesOf('0201030500ff'), at).whole)).toBe(whole);
  });

  it('refuses an empty input', () => {
    expect(() => readDerElement(bytesOf(''))).toThrow(new DerError('A DER element is truncated'));
  });
});

it.each([
  [0x30, true],
  [0x31, true],
  [0xa0, true],
  [0x24, true],
  [0x04, false],
  [0x80, false],
])('tells whether an element with the tag %i is constructed: %s', (tag, expected) => {
  expect(isConstructed(elementOf(tag, bytesOf('')))).toBe(expected);
});

it.each([
  ['550406', '2.5.4.6'],
  ['2a864886f70d010703', '1.2.840.113549.1.7.3'],
  ['60864801650304012a', '2.16.840.1.101.3.4.1.42'],
  ['8837', '2.999'],
  ['00', '0.0'],
  ['27', '0.39'],
  ['28', '1.0'],
  ['50', '2.0'],
])('reads the object identifier %s as %s', (content, oid) => {
  expect(readDerOid(elementOf(0x06, bytesOf(content)))).toBe(oid);
});

describe('readDerTime', () => {
  const timeOf = (tag: number, digits: string) => elementOf(tag, new Uint8Array(Buffer.from(digits)));

  it.each([
    [DER_TAG.utcTime, '491231235958Z', Date.UTC(2049, 11, 31, 23, 59, 58)],
    [DER_TAG.utcTime, '500101000000Z', Date.UTC(1950, 0, 1)],
    [DER_TAG.generalizedTime, '20500101000000Z', Date.UTC(2050, 0, 1)],
  ])('reads a time with the tag %i: %s', (tag, digits, expected) => {
    expect(readDerTime(timeOf(tag, digits))).toBe(expected);
  });

  it.each(['4912312359Z', '491231235958+0100', '491231235958', ''])('refuses the time %j', (digits) => {
    expect(() => readDerTime(timeOf(DER_TAG.utcTime, digits))).toThrow(
      new DerError(`A DER time cannot be parsed: ${digits}`),
    );
  });
});
