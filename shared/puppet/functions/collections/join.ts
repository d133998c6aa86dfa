import { defineFunction } from '../../evaluator/native-function.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { BytesText, joinRubyTexts } from '../../types/values/bytes-text.ts';
import { isArray } from '../../types/values/value-kinds.ts';
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

function joinDeep(value: Value, delimiter: string): string | BytesText {
  if (isArray(value))
    return joinRubyTexts(
      value.map((item) => joinDeep(item, delimiter)),
      delimiter,
    );
  return value instanceof BytesText ? value : rubyToS(value);
}
