import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy } from '../support/conversion.ts';
import { iteratorFor, pairOf, visitUntil, yieldTo } from '../support/iteration.ts';

/**
 * Defines `all` or `any`: whether the block returns `decisive` for an element. Iteration ends at
 * that element.
 */
function defineQuantifierFunction(name: string, decisive: boolean): PuppetFunction {
  const decide = <T>(elements: Iterable<T>, test: (element: T) => Value): boolean => {
    for (const element of elements) if (isTruthy(test(element)) === decisive) return decisive;
    return !decisive;
  };
  const decideOver = (value: Value, test: (element: Value, index: bigint, isPair: boolean) => Value): boolean => {
    const iterator = iteratorFor(name, value);
    let index = -1n;
    let decided = false;
    visitUntil(iterator, (element) => {
      index += 1n;
      decided = isTruthy(test(element, index, iterator.hashStyle)) === decisive;
      return decided;
    });
    return decided ? decisive : !decisive;
  };
  return defineFunction(name, [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) => decide(entriesOf(hash), ([key, value]) => yieldTo(block, key, value)),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) => decide(entriesOf(hash), ([key, value]) => yieldTo(block, [key, value])),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) =>
        decideOver(value, (element, index, isPair) =>
          isPair ? yieldTo(block, ...pairOf(element)) : yieldTo(block, index, element),
        ),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) => decideOver(value, (element) => yieldTo(block, element)),
    },
  ]);
}

function entriesOf(hash: Value): Iterable<readonly [Value, Value]> {
  return hash instanceof PuppetHash ? hash.entries() : [];
}

/** Returns the elements of an array, or the pairs of a hash. */
function listElements(value: Value): readonly Value[] {
  if (value instanceof PuppetHash) return Array.from(value, ([key, item]) => [key, item]);
  return Array.isArray(value) ? value : [];
}

function group(elements: readonly Value[], keyOf: (element: Value, index: number) => Value): PuppetHash {
  const result = new PuppetHash();
  for (const [index, element] of elements.entries()) {
    const key = keyOf(element, index);
    const known = result.get(key);
    result.set(key, Array.isArray(known) ? [...known, element] : [element]);
  }
  return result;
}

function divide(elements: readonly Value[], test: (element: Value, index: number) => Value): Value {
  const accepted: Value[] = [];
  const rejected: Value[] = [];
  for (const [index, element] of elements.entries()) {
    (isTruthy(test(element, index)) ? accepted : rejected).push(element);
  }
  return [accepted, rejected];
}

/** The functions that decide over elements or group them. */
export const GROUPING_FUNCTIONS: readonly PuppetFunction[] = [
  defineQuantifierFunction('all', false),
  defineQuantifierFunction('any', true),
  /** Groups elements by the result of the block. */
  defineFunction('group_by', [
    {
      params: ['Collection collection'],
      block: 'Callable[1,1] block',
      returns: 'Hash',
      body: (_, [value = null], block) => group(listElements(value), (element) => yieldTo(block, element)),
    },
    {
      params: ['Array array'],
      block: 'Callable[2,2] block',
      returns: 'Hash',
      body: (_, [value = null], block) =>
        group(listElements(value), (element, index) => yieldTo(block, BigInt(index), element)),
    },
    {
      params: ['Collection collection'],
      block: 'Callable[2,2] block',
      returns: 'Hash',
      body: (_, [value = null], block) => group(listElements(value), (pair) => yieldTo(block, ...pairOf(pair))),
    },
  ]),
  /** Returns two arrays: the elements for which the block is true, and the rest. */
  defineFunction('partition', [
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
  ]),
];
