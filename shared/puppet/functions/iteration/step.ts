import { defineFunction } from '../../evaluator/native-function.ts';
import { consumeIterator, iteratorFor, runUntilBreak, yieldTo } from '../support/iteration.ts';

export const step = defineFunction('step', {
  dispatches: [
    {
      params: ['Iterable iterable', 'Integer[1] step'],
      body: (_, [value = null, size]) => iteratorFor('step', value).step(Number(size)),
    },
    {
      params: ['Iterable iterable', 'Integer[1] step'],
      block: 'Callable[1,1] block',
      body: (_, [value = null, size], block) => {
        const steps = iteratorFor('step', value).step(Number(size));
        runUntilBreak(() => {
          for (const element of consumeIterator(steps)) yieldTo(block, element);
        });
        return null;
      },
    },
  ],
});
