import { defineFunction } from '../../evaluator/native-function.ts';
import { infer, inferSet } from '../../types/inference.ts';

/**
 * Returns the type of a value: detailed (of each element), reduced (common to all elements) or
 * generalized.
 */
export const type = defineFunction('type', {
  dispatches: [
    { params: ['Any value', '?Enum[detailed] inference_method'], body: (_, [value = null]) => inferSet(value) },
    { params: ['Any value', 'Enum[reduced] inference_method'], body: (_, [value = null]) => infer(value) },
    {
      params: ['Any value', 'Enum[generalized] inference_method'],
      body: (_, [value = null]) => infer(value).generalize(),
    },
  ],
});
