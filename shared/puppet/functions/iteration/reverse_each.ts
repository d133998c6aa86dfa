import { defineFunction } from '../../evaluator/native-function.ts';
import { consumeIterator, iteratorFor, runUntilBreak, yieldTo } from '../support/iteration.ts';

export const reverseEach = defineFunction('reverse_each', {
  dispatches: [
    { params: ['Iterable iterable'], body: (_, [value = null]) => iteratorFor('reverse_each', value).reverse() },
    {
      params: ['Iterable iterable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) => {
        const reversed = iteratorFor('reverse_each', value).reverse();
        runUntilBreak(() => {
          for (const element of consumeIterator(reversed)) yieldTo(block, element);
        });
        return null;
      },
    },
  ],
});
