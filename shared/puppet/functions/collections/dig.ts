import { defineFunction } from '../../evaluator/native-function.ts';
import { inspectRuby } from '../../types/format/ruby-text.ts';
import { infer } from '../../types/inference.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { NavigationError } from '../support/navigation-error.ts';

/** Walks into nested collections; returns undef at the first missing step. */
export const dig = defineFunction('dig', {
  dispatches: [
    { params: ['Optional[Collection] data', '*Any arg'], body: (_, [data = null, ...path]) => digInto(data, path) },
  ],
});

function digInto(data: Value, path: readonly Value[]): Value {
  let current = data;
  for (const [index, key] of path.entries()) {
    if (current === null || key === null) return null;
    current = step(current, key, path.slice(0, index));
  }
  return current;
}

function step(current: Value, key: Value, walked: readonly Value[]): Value {
  if (current instanceof PuppetHash) return current.get(key) ?? null;
  if (!Array.isArray(current)) {
    const type = infer(current);
    const message = `The given data does not contain a Collection at ${inspectRuby([...walked])}, got '${type}'`;
    throw new NavigationError(message, 'EXPECTED_COLLECTION', [
      ['walked_path', [...walked]],
      ['value_type', type],
    ]);
  }
  if (typeof key === 'bigint') return current.at(Number(key)) ?? null;
  const type = infer(key);
  const path = [...walked, key];
  const message = `The given data requires an Integer index at ${inspectRuby(path)}, got '${type}'`;
  throw new NavigationError(message, 'EXPECTED_INTEGER_INDEX', [
    ['walked_path', path],
    ['index_type', type],
  ]);
}
