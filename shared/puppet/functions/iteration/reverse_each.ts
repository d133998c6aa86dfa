import { defineFunction } from '../../evaluator/native-function.ts';
import { consuming, iteratorFor, untilBreak, yieldTo } from '../support/iteration.ts';

export const reverseEach = defineFunction('reverse_each', {
  dispatches: [
    { params: ['Iterable iterable'], body: (_, [value = null]) => iteratorFor('reverse_each', value).reversed() },
    {
      params: ['Iterable iterable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) => {
        const reversed = iteratorFor('reverse_each', value).reversed();
        untilBreak(() => {
          for (const element of consuming(reversed)) yieldTo(block, element);
        });
        return null;
      },
    },
  ],
});
