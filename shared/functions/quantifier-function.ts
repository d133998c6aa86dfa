import { defineFunction } from '../evaluator/native-function.ts';
import type { PuppetFunction } from '../evaluator/ports.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import { isTruthy } from './conversion.ts';
import { iteratorFor, pairOf, yieldTo } from './iteration.ts';

/** `all` and `any`: whether the block gave `decisive` for some element; iteration ends there. */
export function defineQuantifierFunction(name: string, decisive: boolean): PuppetFunction {
  const decide = <T>(elements: Iterable<T>, test: (element: T, index: bigint) => Value): boolean => {
    let index = 0n;
    for (const element of elements) {
      if (isTruthy(test(element, index)) === decisive) return decisive;
      index += 1n;
    }
    return !decisive;
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
        body: (_, [value = null], block) => {
          const iterator = iteratorFor(name, value);
          return decide(iterator, (element, index) =>
            iterator.hashStyle ? yieldTo(block, ...pairOf(element)) : yieldTo(block, index, element),
          );
        },
      },
      {
        params: ['Iterable enumerable'],
        block: 'Callable[1,1] block',
        body: (_, [value = null], block) => decide(iteratorFor(name, value), (element) => yieldTo(block, element)),
      },
    ],
  });
}

function entriesOf(hash: Value): Iterable<readonly [Value, Value]> {
  return hash instanceof PuppetHash ? hash.entries() : [];
}
