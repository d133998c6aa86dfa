import { defineFunction } from '../../evaluator/native-function.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import type { Value } from '../../types/values/values.ts';

/**
 * Ruby's `Array#join`: nested arrays are joined with the same delimiter; an empty array gives an
 * empty text.
 */
export const join = defineFunction('join', {
  dispatches: [
    {
      params: ['Array arg', '?String delimiter'],
      body: (_, [array, delimiter = '']) => joinDeep(array ?? null, String(delimiter)),
    },
  ],
});

function joinDeep(value: Value, delimiter: string): string {
  if (!Array.isArray(value)) return rubyToS(value);
  return value.map((item: Value) => joinDeep(item, delimiter)).join(delimiter);
}
