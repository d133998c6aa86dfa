import { checkElementCount } from '../../errors/value-limits.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { PuppetIterator } from '../../types/values/puppet-iterator.ts';
import type { Value } from '../../types/values/values.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';

/**
 * Returns the block's result for each element; `break()` in the block ends it with the results so
 * far.
 */
export const map = defineFunction('map', {
  dispatches: [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) => collect(hashPairs(hash), ([key, value]) => yieldTo(block, key, value)),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) => collect(hashPairs(hash), ([key, value]) => yieldTo(block, [key, value])),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('map', value);
        if (iterator.hashStyle) return Array.from(iterator, (pair) => yieldTo(block, ...pairOf(pair)));
        let index = -1n;
        checkResultCount(iterator, block);
        return collect(consumeIterator(iterator), (element) => {
          index += 1n;
          return yieldTo(block, index, element);
        });
      },
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('map', value);
        checkResultCount(iterator, block);
        return collect(consumeIterator(iterator), (element) => yieldTo(block, element));
      },
    },
  ],
});

/**
 * Throws ValueLimitError where the results are known to be too many, before the block runs for the
 * first of them.
 */
function checkResultCount(iterator: PuppetIterator, block: Callable | null): void {
  if (block?.endsIterations === false) checkElementCount(iterator.sizeHint ?? 0);
}

function hashPairs(hash: Value): Iterable<readonly [Value, Value]> {
  return hash instanceof PuppetHash ? hash.entries() : [];
}

function collect<T>(elements: Iterable<T>, change: (element: T) => Value): Value[] {
  const result: Value[] = [];
  runUntilBreak(() => {
    for (const element of elements) checkElementCount(result.push(change(element)));
  });
  return result;
}
