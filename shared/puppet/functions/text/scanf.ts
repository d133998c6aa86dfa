import { defineFunction } from '../../evaluator/native-function.ts';
import { rubyScanf } from '../../ruby-core/ruby-scanf.ts';
import type { Value } from '../../types/values/values.ts';

/** Reads values from a text by a format; a block converts the result. */
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
