import { defineFunction } from '../../evaluator/native-function.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';

/** Returns its receiver; `break()` in the block ends the iteration. */
export const each = defineFunction('each', {
  dispatches: [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) =>
        runBody(hash, () => visitPairs(hash, (key, value) => yieldTo(block, key, value))),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) =>
        runBody(hash, () => visitPairs(hash, (key, value) => yieldTo(block, [key, value]))),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('each', value);
        if (iterator.hashStyle) {
          for (const pair of iterator) yieldTo(block, ...pairOf(pair));
          return value;
        }
        return runBody(value, () => {
          let index = 0n;
          for (const element of consumeIterator(iterator)) {
            yieldTo(block, index, element);
            index += 1n;
          }
        });
      },
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) =>
        runBody(value, () => {
          for (const element of consumeIterator(iteratorFor('each', value))) yieldTo(block, element);
        }),
    },
  ],
});

function runBody(value: Value, body: () => void): Value {
  runUntilBreak(body);
  return value;
}

function visitPairs(hash: Value, visit: (key: Value, value: Value) => void): void {
  if (!(hash instanceof PuppetHash)) return;
  for (const [key, value] of hash) visit(key, value);
}
