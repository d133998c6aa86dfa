import { checkElementCount } from '../../errors/value-limits.ts';
import { BreakSignal } from '../../evaluator/control-flow.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, PuppetFunction } from '../../evaluator/ports.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { PuppetIterator } from '../../types/values/puppet-iterator.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy } from '../support/conversion.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';

function select(hash: Value, test: (key: Value, value: Value) => boolean): PuppetHash {
  return selectPairs(hash instanceof PuppetHash ? hash.entries() : [], test);
}

function selectPairs(
  pairs: Iterable<readonly [Value, Value]>,
  test: (key: Value, value: Value) => boolean,
): PuppetHash {
  const result = new PuppetHash();
  for (const [key, value] of pairs) if (test(key, value)) result.set(key, value);
  return result;
}

function selectElements(elements: Iterable<Value>, test: (element: Value) => boolean): Value[] {
  const result: Value[] = [];
  runUntilBreak(() => {
    for (const element of elements) if (test(element)) checkElementCount(result.push(element));
  });
  return result;
}

/**
 * Throws ValueLimitError where the results are known to be too many, before the block runs for the
 * first of them.
 */
function checkResultCount(iterator: PuppetIterator, block: Callable | null): void {
  if (block?.endsIterations === false) checkElementCount(iterator.sizeHint ?? 0);
}

function hashPairs(hash: Value): Iterable<readonly [Value, Value]> {
  return hash instanceof PuppetHash ? hash.entries() : [];
}

function collect<T>(elements: Iterable<T>, change: (element: T) => Value): Value[] {
  const result: Value[] = [];
  runUntilBreak(() => {
    for (const element of elements) checkElementCount(result.push(change(element)));
  });
  return result;
}

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

/** The functions that select, convert or sum up the elements of iterables. */
export const MAPPING_FUNCTIONS: readonly PuppetFunction[] = [
  /**
   * Returns the elements for which the block is true. Puppet: over a hash, `break()` passes through
   * to an outer iteration.
   */
  defineFunction('filter', [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) => select(hash, (key, value) => isTruthy(yieldTo(block, key, value))),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) => select(hash, (key, value) => isTruthy(yieldTo(block, [key, value]))),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('filter', value);
        if (iterator.hashStyle) {
          return selectPairs(Array.from(iterator, pairOf), (key, item) => isTruthy(yieldTo(block, key, item)));
        }
        let index = -1n;
        return selectElements(consumeIterator(iterator), (element) => {
          index += 1n;
          return isTruthy(yieldTo(block, index, element));
        });
      },
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) =>
        selectElements(consumeIterator(iteratorFor('filter', value)), (element) => isTruthy(yieldTo(block, element))),
    },
  ]),
  /**
   * Returns the block's result for each element; `break()` in the block ends it with the results so
   * far.
   */
  defineFunction('map', [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) => collect(hashPairs(hash), ([key, value]) => yieldTo(block, key, value)),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) => collect(hashPairs(hash), ([key, value]) => yieldTo(block, [key, value])),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('map', value);
        if (iterator.hashStyle) return Array.from(iterator, (pair) => yieldTo(block, ...pairOf(pair)));
        let index = -1n;
        checkResultCount(iterator, block);
        return collect(consumeIterator(iterator), (element) => {
          index += 1n;
          return yieldTo(block, index, element);
        });
      },
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('map', value);
        checkResultCount(iterator, block);
        return collect(consumeIterator(iterator), (element) => yieldTo(block, element));
      },
    },
  ]),
  /** Folds elements into a memo; `break()` in the block returns the memo so far. */
  defineFunction('reduce', [
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
  ]),
];
