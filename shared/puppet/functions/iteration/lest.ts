import { defineFunction } from '../../evaluator/native-function.ts';
import { yieldTo } from '../support/iteration.ts';

export const lest = defineFunction('lest', {
  dispatches: [
    {
      params: ['Any arg'],
      block: 'Callable[0,0] block',
      body: (_, [arg = null], block) => (arg === null ? yieldTo(block) : arg),
    },
  ],
});
