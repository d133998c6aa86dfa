import { defineFunction } from '../../evaluator/native-function.ts';
import { yieldTo } from '../support/iteration.ts';

export const thenFunction = defineFunction('then', {
  dispatches: [
    {
      params: ['Any arg'],
      block: 'Callable[1,1] block',
      body: (_, [arg = null], block) => (arg === null ? null : yieldTo(block, arg)),
    },
  ],
});
