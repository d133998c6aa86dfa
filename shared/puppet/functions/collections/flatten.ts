import { defineFunction } from '../../evaluator/native-function.ts';
import { flattenDeep as flattened } from '../support/conversion.ts';

export const flatten = defineFunction('flatten', {
  dispatches: [{ params: ['*Any args'], body: (_, args) => flattened(args) }],
});
