import { expect, it } from 'vitest';
import { readByteRange } from '../../../../shared/http/exchange/byte-range.ts';

it.each<[string | undefined, number, ReturnType<typeof readByteRange>]>([
  [undefined, 10, null],
  ['bytes=0-3', 10, { start: 0, end: 4 }],
  ['bytes=4-', 10, { start: 4, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=8-99', 10, { start: 8, end: 10 }],
  ['Bytes = 9-9', 10, { start: 9, end: 10 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=5-4', 10, null],
  ['bytes=0-1,4-5', 10, null],
  ['bytes=-', 10, null],
  ['lines=0-1', 10, null],
  ['bytes=a-b', 10, null],
])('reads Range %j of %i bytes', (header, size, expected) => {
  expect(readByteRange(header, size)).toEqual(expected);
});
