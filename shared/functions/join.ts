import { defineFunction } from '../evaluator/native-function.ts';
import type { Value } from '../types/values.ts';
import { flatten } from './conversion.ts';
import { rubyToS } from './ruby-text.ts';

/** Ruby's `Array#join`: nested arrays are joined with the same delimiter. */
export const join = defineFunction('join', {
  dispatches: [
    {
      params: ['Array arg', '?String delimiter'],
      body: (_, [array, delimiter = '']) => joinFlat(array ?? null, String(delimiter)),
    },
  ],
});

function joinFlat(array: Value, delimiter: string): string {
  return flatten(Array.isArray(array) ? array : [])
    .map(rubyToS)
    .join(delimiter);
}
