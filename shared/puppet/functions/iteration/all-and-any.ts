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
  return defineFunction(name, {
    dispatches: [
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
    ],
  });
}

function entriesOf(hash: Value): Iterable<readonly [Value, Value]> {
  return hash instanceof PuppetHash ? hash.entries() : [];
}

export const all = defineQuantifierFunction('all', false);
export const any = defineQuantifierFunction('any', true);
