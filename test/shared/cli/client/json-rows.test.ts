import { expect, it } from 'vitest';
import { JsonRowSplitter } from '../../../../shared/cli/client/json-rows.ts';

const ROWS = ['{"a":[1,{"b":"]}"}],"c":"\\"\\\\"}', '"x,\\u00fc"', 'null', '[[],[2]]', '-1.5e3', '{}'];

it.each([1, 2, 3, 7, 1000])('splits an array into its elements, in pieces of %d characters', (size) => {
  for (const text of [`[${ROWS.join(',')}]`, ` [\n ${ROWS.join(' ,\n ')}\n ]\n`]) {
    const splitter = new JsonRowSplitter();
    const found: string[] = [];
    for (let at = 0; at < text.length; at += size) found.push(...splitter.split(text.slice(at, at + size)));
    expect(found).toEqual(ROWS);
    expect(splitter.isComplete).toBe(true);
  }
});

it.each<[string, readonly string[], boolean]>([
  ['[]', [], true],
  ['[ ]', [], true],
  ['[1,2', ['1'], false],
  ['[{"a":[1]', [], false],
  ['', [], false],
])('tells whether %j is complete', (text, rows, isComplete) => {
  const splitter = new JsonRowSplitter();
  expect(splitter.split(text)).toEqual(rows);
  expect(splitter.isComplete).toBe(isComplete);
});
