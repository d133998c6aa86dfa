import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readZippedJson } from '../../../shared/util/zipped-json.ts';

const JSON_TEXT = JSON.stringify({ one: ['two', 3] });
const zipped = gzipSync(JSON_TEXT);
const flipped = Buffer.from(zipped);
flipped[14] = (flipped[14] ?? 0) ^ 1;

it.each([
  ['gzipped JSON', zipped, { one: ['two', 3] }],
  ['plain JSON', Buffer.from(JSON_TEXT), { one: ['two', 3] }],
  ['gzipped JSON that is cut short', zipped.subarray(0, -1), null],
  ['plain JSON that is cut short', Buffer.from(JSON_TEXT.slice(0, -1)), null],
  ['a changed bit', flipped, null],
  ['nothing', new Uint8Array(), null],
  ['something else', Buffer.from('else'), null],
])('reads %s', (_, bytes, expected) => {
  expect(readZippedJson(bytes)).toEqual(expected);
});
