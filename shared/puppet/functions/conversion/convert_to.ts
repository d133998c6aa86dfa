import { defineFunction } from '../../evaluator/native-function.ts';
import { PType } from '../../types/ptype.ts';
import { createInstance } from './new.ts';

/** Like `new`, with the value as the first argument: `'1'.convert_to(Integer)`. */
export const convertTo = defineFunction('convert_to', {
  dispatches: [
    {
      params: ['Any value', 'Type type', '*Any args'],
      block: '?Callable[1,1] block',
      body: (site, [value = null, type, ...args], block) => {
        const result = type instanceof PType ? createInstance(site, type, [value, ...args], null) : value;
        return block ? block.call(result) : result;
      },
    },
  ],
});
