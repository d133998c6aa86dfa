import { defineFunction } from '../../evaluator/native-function.ts';
import { Sensitive } from '../../types/values/values.ts';

export const unwrap = defineFunction('unwrap', {
  dispatches: [
    {
      params: ['Sensitive arg'],
      block: '?Callable block',
      body: (_, [arg = null], block) => {
        const value = arg instanceof Sensitive ? arg.unwrap() : arg;
        return block ? block.call(value) : value;
      },
    },
    {
      params: ['Any arg'],
      block: '?Callable block',
      body: (_, [arg = null], block) => (block ? block.call(arg) : arg),
    },
  ],
});
