import { defineFunction } from '../../evaluator/native-function.ts';
import { lengthOf } from './length.ts';

export const size = defineFunction('size', {
  dispatches: [{ params: ['Variant[Collection, String, Binary] arg'], body: (_, [value = null]) => lengthOf(value) }],
});
