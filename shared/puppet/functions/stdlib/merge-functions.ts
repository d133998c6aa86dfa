/** `merge` and `deep_merge` of puppetlabs-stdlib, whose Ruby uses `yield` and `proc`. */
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';

export const deepMerge = defineValueFunction('deep_merge', (args) => {
  const message = `deep_merge(): wrong number of arguments (${args.length}; must be at least 2)`;
  checkCount('deep_merge', args, 2, Number.POSITIVE_INFINITY, message);
  return args.reduce<PuppetHash>((merged, arg) => {
    if (arg === '') return merged;
    if (arg instanceof PuppetHash) return mergeDeeply(merged, arg);
    return refuse(`deep_merge: unexpected argument type ${rubyClassName(arg)}, only expects hash arguments`);
  }, new PuppetHash());
});

function mergeDeeply(left: PuppetHash, right: PuppetHash): PuppetHash {
  const merged = PuppetHash.of(left);
  for (const [key, value] of right) {
    const old = merged.get(key);
    merged.set(key, old instanceof PuppetHash && value instanceof PuppetHash ? mergeDeeply(old, value) : value);
  }
  return merged;
}

/**
 * Merges hashes, or the results of a block that receives each element and the merged hash so far.
 */
export function defineMerge(name: string): PuppetFunction {
  return defineFunction(name, [
    {
      params: ['*Variant[Hash[Scalar, Any], Undef, String[0, 0]] args'],
      returns: 'Hash[Scalar, Any]',
      body: (_, args) =>
        args.reduce<PuppetHash>(
          (merged, arg) => (arg instanceof PuppetHash ? merged.merge(arg) : merged),
          new PuppetHash(),
        ),
    },
    {
      params: ['*Iterable args'],
      block: 'Callable[3,3] block',
      returns: 'Hash',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor(name, value);
        let index = -1n;
        return gather(iterator.hashStyle ? iterator : consumeIterator(iterator), (soFar, element) => {
          index += 1n;
          const pair = iterator.hashStyle ? pairOf(element) : ([index, element] as const);
          return yieldTo(block, soFar, ...pair);
        });
      },
    },
    {
      params: ['*Iterable args'],
      block: 'Callable[2,2] block',
      returns: 'Hash',
      body: (_, [value = null], block) =>
        gather(iteratorFor(name, value), (soFar, element) => yieldTo(block, soFar, element)),
    },
  ]);
}

function gather(elements: Iterable<Value>, visit: (soFar: PuppetHash, element: Value) => Value): PuppetHash {
  let gathered = new PuppetHash();
  runUntilBreak(() => {
    for (const element of elements) {
      const result = visit(gathered, element);
      if (result instanceof PuppetHash) gathered = gathered.merge(result);
    }
  });
  return gathered;
}

/** `merge` of stdlib 9, which warns and forwards; its Ruby passes a block on. */
export const mergeAlias = defineFunction('merge', {
  params: ['*Any args'],
  block: '?Callable block',
  body: (site, args, block) => {
    warnDeprecated(site, 'merge', 'This function is deprecated, please use stdlib::merge instead.', true);
    return site.context.evaluator.callFunction('stdlib::merge', args, site.scope, site.node, block);
  },
});
