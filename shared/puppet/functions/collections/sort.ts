import { mergeSort } from '../../../util/merge-sort.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { characters } from '../../ruby-core/ruby-string.ts';
import type { Value } from '../../types/values/values.ts';
import { byBlock, natural } from '../support/ruby-order.ts';

/** Sorts the elements of an array or the characters of a text. */
export const sort = defineFunction('sort', {
  dispatches: [
    {
      params: ['String string_value'],
      block: '?Callable[2,2] block',
      body: (_, [text], block) => sorted(characters(String(text)), block).join(''),
    },
    {
      params: ['Array array_value'],
      block: '?Callable[2,2] block',
      body: (_, [array], block) => sorted(Array.isArray(array) ? array : [], block),
    },
  ],
});

function sorted(values: readonly Value[], block: Callable | null): Value[] {
  return mergeSort(values, block ? byBlock(block) : natural);
}
