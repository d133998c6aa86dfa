/**
 * puppetlabs-stdlib's functions for hashes. Follows its lib/puppet/parser/functions and
 * lib/puppet/functions.
 */

import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { rubyEquals } from '../../types/equality.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep } from '../support/conversion.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

export const hasKey = defineValueFunction('has_key', (args) => {
  checkCount('has_key', args, 2, 2, `has_key(): wrong number of arguments (${args.length}; must be 2)`);
  const [hash = null, key = null] = args;
  if (hash instanceof PuppetHash) return hash.has(key);
  return refuse(
    `has_key(): expects the first argument to be a hash, got ${inspectRuby(hash)} which is of type ${rubyClassName(hash)}`,
  );
});

export const hash = defineValueFunction('hash', (args) => {
  checkCount('hash', args, 1, Number.POSITIVE_INFINITY);
  const [array] = args;
  if (!Array.isArray(array)) return refuse('hash(): Requires array to work with');
  const flat = flattenDeep(array);
  if (flat.length % 2 !== 0) return refuse('hash(): Unable to compute hash from array given');
  const result = new PuppetHash();
  for (let index = 0; index < flat.length; index += 2) result.set(flat[index] ?? null, flat[index + 1] ?? null);
  return result;
});

export const deleteValues = defineValueFunction('delete_values', (args) => {
  checkCount('delete_values', args, 2, 2, `delete_values(): Wrong number of arguments given (${args.length} of 2)`);
  const [given = null, unwanted = null] = args;
  if (!(given instanceof PuppetHash)) {
    return refuse(
      `delete_values(): First argument must be a Hash. Given an argument of class ${rubyClassName(given)}.`,
    );
  }
  return PuppetHash.of([...given].filter(([, value]) => !rubyEquals(unwanted, value)));
});

export const joinKeysToValues = defineValueFunction('join_keys_to_values', (args) => {
  const name = 'join_keys_to_values()';
  checkCount(name, args, 2, 2, `${name}: Takes exactly two arguments, but ${args.length} given.`);
  const [given = null, separator = null] = args;
  if (!(given instanceof PuppetHash)) {
    return refuse(`${name}: The first argument must be a hash, but a ${rubyClassName(given)} was given.`);
  }
  if (typeof separator !== 'string') {
    return refuse(`${name}: The second argument must be a string, but a ${rubyClassName(separator)} was given.`);
  }
  return [...given].flatMap(([key, value]) => {
    const start = rubyToS(key);
    if (Array.isArray(value)) return value.map((item: Value) => start + separator + rubyToS(item));
    return rubyToS(value) === 'undef' ? [start] : [start + separator + rubyToS(value)];
  });
});

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
  return defineFunction(name, {
    dispatches: [
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
    ],
  });
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

/** `dig44(data, path, default)`: stdlib's `dig` from before Puppet had one. */
export const dig44 = defineValueFunction(
  'dig44',
  (args) => {
    checkCount('dig44', args, 2, Infinity, `dig44(): Wrong number of arguments given (${args.length} for at least 2)`);
    const [data = null, path = null, defaultValue = null] = args;
    if (!Array.isArray(data) && !(data instanceof PuppetHash)) {
      return refuse(`dig44(): first argument must be a hash or an array, given ${rubyClassName(data)}`);
    }
    if (!Array.isArray(path)) return refuse(`dig44(): second argument must be an array, given ${rubyClassName(path)}`);
    return path.reduce<Value>(digStep, data) ?? defaultValue;
  },
  -2,
);

function digStep(value: Value, key: Value): Value {
  if (value instanceof PuppetHash) return value.get(key) ?? null;
  if (!Array.isArray(value)) return null;
  return typeof key === 'bigint' ? (value.at(Number(key)) ?? null) : (value[Number(rubyToS(key))] ?? null);
}

/** Returns all values of nested hashes, in order. */
export function defineNestedValues(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Hash hash'],
        returns: 'Array',
        body: (_, [given = null]) => (given instanceof PuppetHash ? collectNested(given) : []),
      },
    ],
  });
}

function collectNested(given: PuppetHash): Value[] {
  return [...given.values()].flatMap((value) => (value instanceof PuppetHash ? collectNested(value) : [value]));
}
