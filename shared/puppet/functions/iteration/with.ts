import { defineFunction } from '../../evaluator/native-function.ts';
import { yieldTo } from '../support/iteration.ts';

export const withFunction = defineFunction('with', {
  dispatches: [{ params: ['*Any arg'], block: 'Callable block', body: (_, args, block) => yieldTo(block, ...args) }],
});
