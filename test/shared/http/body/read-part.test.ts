import { describe, expect, it } from 'vitest';
import { readBoundary, readPart } from '../../../../shared/http/body/read-part.ts';

const part = (name: string, content: string) =>
  `--B\r\nContent-Disposition: form-data; name="${name}"; filename="x.tgz"\r\nContent-Type: application/gzip\r\n\r\n${content}\r\n`;

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size: number) {
  const pieces: Buffer[] = [];
  for await (const piece of readPart(cut(text, size), 'B', 'archive')) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('readPart', () => {
  const tricky = 'a\r\n--C\r\n-\r\n--\r\nb';

  it.each([
    ['the only part', `${part('archive', 'abc')}--B--\r\n`, 'abc'],
    ['a part with what looks like a boundary', `${part('archive', tricky)}--B--\r\n`, tricky],
    ['an empty part', `${part('archive', '')}--B--\r\n`, ''],
    ['the second part', `${part('other', 'no')}${part('archive', 'abc')}--B--\r\n`, 'abc'],
    ['a part behind an empty one', `${part('other', '')}${part('archive', 'abc')}--B--`, 'abc'],
    ['the first of two', `${part('archive', 'abc')}${part('archive', 'def')}--B--`, 'abc'],
    ['a part behind a preamble', `text\r\n${part('archive', 'abc')}--B--`, 'abc'],
  ])('gives %s', async (_, text, content) => {
    for (const size of [1, 2, 3, 7, 50, 1000]) expect(await read(text, size)).toBe(content);
  });

  it.each([
    ['no such part', `${part('other', 'no')}--B--\r\n`, "The body has no part 'archive'"],
    ['nothing at all', 'x', "The body has no part 'archive'"],
    ['no end of the part', part('archive', 'abc').slice(0, -2), 'The body ends within a part'],
    ['no end of the header', `--B\r\n${'x'.repeat(20_000)}`, 'A part of the body has a header without end'],
  ])('refuses %s', async (_, text, message) => {
    for (const size of [1, 7, 1000]) await expect(read(text, size)).rejects.toThrow(message);
  });
});

describe('readBoundary', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data; charset=x; boundary="a b"', 'a b'],
    ['multipart/form-data', null],
    ['application/json; boundary=abc', null],
    [null, null],
  ])('of %j is %j', (type, boundary) => {
    expect(readBoundary(type)).toBe(boundary);
  });
});
