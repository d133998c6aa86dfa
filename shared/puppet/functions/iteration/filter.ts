import { checkElementCount } from '../../errors/value-limits.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy } from '../support/conversion.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';

/**
 * Returns the elements for which the block is true. Puppet: over a hash, `break()` passes through
 * to an outer iteration.
 */
export const filter = defineFunction('filter', {
  dispatches: [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) => select(hash, (key, value) => isTruthy(yieldTo(block, key, value))),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) => select(hash, (key, value) => isTruthy(yieldTo(block, [key, value]))),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('filter', value);
        if (iterator.hashStyle) {
          return selectPairs(Array.from(iterator, pairOf), (key, item) => isTruthy(yieldTo(block, key, item)));
        }
        let index = -1n;
        return selectElements(consumeIterator(iterator), (element) => {
          index += 1n;
          return isTruthy(yieldTo(block, index, element));
        });
      },
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) =>
        selectElements(consumeIterator(iteratorFor('filter', value)), (element) => isTruthy(yieldTo(block, element))),
    },
  ],
});

function select(hash: Value, test: (key: Value, value: Value) => boolean): PuppetHash {
  return selectPairs(hash instanceof PuppetHash ? hash.entries() : [], test);
}

function selectPairs(
  pairs: Iterable<readonly [Value, Value]>,
  test: (key: Value, value: Value) => boolean,
): PuppetHash {
  const result = new PuppetHash();
  for (const [key, value] of pairs) if (test(key, value)) result.set(key, value);
  return result;
}

function selectElements(elements: Iterable<Value>, test: (element: Value) => boolean): Value[] {
  const result: Value[] = [];
  runUntilBreak(() => {
    for (const element of elements) if (test(element)) checkElementCount(result.push(element));
  });
  return result;
}
