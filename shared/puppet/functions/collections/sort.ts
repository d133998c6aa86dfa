import { mergeSort } from '../../../util/merge-sort.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import type { Value } from '../../types/values/values.ts';
import { compareNaturally, toBlockComparison } from '../support/ruby-order.ts';

/** Sorts the elements of an array, or the characters of a String. */
export const sort = defineFunction('sort', {
  dispatches: [
    {
      params: ['String string_value'],
      block: '?Callable[2,2] block',
      body: (_, [text], block) => sortValues(splitCharacters(String(text)), block).join(''),
    },
    {
      params: ['Array array_value'],
      block: '?Callable[2,2] block',
      body: (_, [array], block) => sortValues(Array.isArray(array) ? array : [], block),
    },
  ],
});

function sortValues(values: readonly Value[], block: Callable | null): Value[] {
  return mergeSort(values, block ? toBlockComparison(block) : compareNaturally);
}
