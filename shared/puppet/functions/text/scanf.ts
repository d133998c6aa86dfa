import { defineFunction } from '../../evaluator/native-function.ts';
import { rubyScanf } from '../../ruby-core/ruby-scanf.ts';
import type { Value } from '../../types/values/values.ts';

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
