import { defineFunction } from '../../evaluator/native-function.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy } from '../support/conversion.ts';
import { pairOf, yieldTo } from '../support/iteration.ts';
import { listElements } from './group_by.ts';

/** Returns two arrays: the elements for which the block is true, and the rest. */
export const partition = defineFunction('partition', {
  dispatches: [
    {
      params: ['Collection collection'],
      block: 'Callable[1,1] block',
      returns: 'Tuple[Array, Array]',
      body: (_, [value = null], block) => divide(listElements(value), (element) => yieldTo(block, element)),
    },
    {
      params: ['Array array'],
      block: 'Callable[2,2] block',
      returns: 'Tuple[Array, Array]',
      body: (_, [value = null], block) =>
        divide(listElements(value), (element, index) => yieldTo(block, BigInt(index), element)),
    },
    {
      params: ['Collection collection'],
      block: 'Callable[2,2] block',
      returns: 'Tuple[Array, Array]',
      body: (_, [value = null], block) => divide(listElements(value), (pair) => yieldTo(block, ...pairOf(pair))),
    },
  ],
});

function divide(elements: readonly Value[], test: (element: Value, index: number) => Value): Value {
  const accepted: Value[] = [];
  const rejected: Value[] = [];
  for (const [index, element] of elements.entries()) {
    (isTruthy(test(element, index)) ? accepted : rejected).push(element);
  }
  return [accepted, rejected];
}
