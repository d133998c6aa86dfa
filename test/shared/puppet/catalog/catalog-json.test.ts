import { expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';

/** The parameters of `D[x]` with `value` as its parameter. */
function parametersWith(value: string): unknown {
  const result = compileSource(`define d($p) { }\nd { 'x': p => ${value} }\n`);
  if (result.status !== 'ok') throw new Error('the compile failed');
  const { resources } = JSON.parse(result.catalog);
  return resources.find(({ type }: { type: string }) => type === 'D').parameters.p;
}

it.each([
  ["[1, [2, [3, {'a' => [[4]]}]]]", [1, [2, [3, { a: [[4]] }]]]],
  ["[File['/a'], [1, [File['/b']]]]", ['File[/a]', 1, 'File[/b]']],
  ["[1, [{'r' => [File['/a'], [File['/b']]]}]]", [1, [{ r: ['File[/a]', ['File[/b]']] }]]],
  ["{'require' => [File['/a'], File[['/b', '/c']]]}", { require: ['File[/a]', ['File[/b]', 'File[/c]']] }],
])('flattens a list with references, but no list in a hash: %s', (value, written) => {
  expect(parametersWith(value)).toEqual(written);
});
