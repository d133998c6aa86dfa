import { defineFunction } from '../../evaluator/native-function.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { pairOf, yieldTo } from '../support/iteration.ts';

/** Groups elements by the result of the block. */
export const groupBy = defineFunction('group_by', {
  dispatches: [
    {
      params: ['Collection collection'],
      block: 'Callable[1,1] block',
      returns: 'Hash',
      body: (_, [value = null], block) => group(listElements(value), (element) => yieldTo(block, element)),
    },
    {
      params: ['Array array'],
      block: 'Callable[2,2] block',
      returns: 'Hash',
      body: (_, [value = null], block) =>
        group(listElements(value), (element, index) => yieldTo(block, BigInt(index), element)),
    },
    {
      params: ['Collection collection'],
      block: 'Callable[2,2] block',
      returns: 'Hash',
      body: (_, [value = null], block) => group(listElements(value), (pair) => yieldTo(block, ...pairOf(pair))),
    },
  ],
});

/** Returns the elements of an array, or the pairs of a hash. */
export function listElements(value: Value): readonly Value[] {
  if (value instanceof PuppetHash) return Array.from(value, ([key, item]) => [key, item]);
  return Array.isArray(value) ? value : [];
}

function group(elements: readonly Value[], keyOf: (element: Value, index: number) => Value): PuppetHash {
  const result = new PuppetHash();
  for (const [index, element] of elements.entries()) {
    const key = keyOf(element, index);
    const known = result.get(key);
    result.set(key, Array.isArray(known) ? [...known, element] : [element]);
  }
  return result;
}
