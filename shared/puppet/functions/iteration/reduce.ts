import { BreakSignal } from '../../evaluator/control-flow.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';
import { iteratorFor, yieldTo } from '../support/iteration.ts';

/** Folds elements into a memo; `break()` in the block returns the memo so far. */
export const reduce = defineFunction('reduce', {
  dispatches: [
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => fold(iteratorFor('reduce', value), undefined, block),
    },
    {
      params: ['Iterable enumerable', 'Any memo'],
      block: 'Callable[2,2] block',
      body: (_, [value = null, memo = null], block) => fold(iteratorFor('reduce', value), memo, block),
    },
  ],
});

function fold(elements: Iterable<Value>, start: Value | undefined, block: Callable | null): Value {
  let memo = start;
  for (const element of elements) {
    if (memo === undefined) {
      memo = element;
      continue;
    }
    try {
      memo = yieldTo(block, memo, element);
    } catch (signal) {
      if (signal instanceof BreakSignal) return memo;
      throw signal;
    }
  }
  return memo ?? null;
}
