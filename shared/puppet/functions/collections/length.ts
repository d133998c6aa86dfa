import { defineFunction } from '../../evaluator/native-function.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { Binary } from '../../types/values/binary.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';

export const length = defineFunction('length', {
  dispatches: ['Collection', 'String', 'Binary'].map((type) => ({
    params: [`${type} arg`],
    body: (_, [value = null]) => lengthOf(value),
  })),
});

/** Returns the number of elements, entries, characters or bytes. */
export function lengthOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(splitCharacters(value).length);
  if (Array.isArray(value)) return BigInt(value.length);
  if (value instanceof PuppetHash) return BigInt(value.size);
  return value instanceof Binary ? BigInt(value.bytes.length) : 0n;
}
