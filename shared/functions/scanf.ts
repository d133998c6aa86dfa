import { defineFunction } from '../evaluator/native-function.ts';
import type { Value } from '../types/values.ts';
import { rubyScanf } from '../util/ruby-scanf.ts';

/** What a text holds by a format; a block makes something else of it. */
export const scanf = defineFunction('scanf', {
  dispatches: [
    {
      params: ['String data', 'String format'],
      block: '?Callable block',
      body: (_, [data, format], block) => {
        const result: Value = rubyScanf(String(data), String(format));
        return block ? block.call(result) : result;
      },
    },
  ],
});
