import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { uniqueBy } from '../../types/equality.ts';
import { hashKey } from '../../types/values/hash-key.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { PuppetIterator } from '../../types/values/puppet-iterator.ts';
import type { Value } from '../../types/values/values.ts';
import { iteratorFor, pairOf, visitUntil } from '../support/iteration.ts';

/** Removes duplicates; the first one remains. For a hash, keys with equal values are grouped. */
export const unique = defineFunction('unique', {
  dispatches: [
    {
      params: ['String string'],
      block: '?Callable[String] block',
      body: (_, [text], block) => selectDistinct(splitCharacters(String(text)), block).join(''),
    },
    {
      params: ['Hash hash'],
      block: '?Callable[Any] block',
      body: (_, [hash = null], block) => groupKeysByValue(hash, block),
    },
    {
      params: ['Array array'],
      block: '?Callable[Any] block',
      body: (_, [array], block) => selectDistinct(Array.isArray(array) ? array : [], block),
    },
    {
      params: ['Iterable iterable'],
      block: '?Callable[Any] block',
      body: (_, [value = null], block) => distinctOf(iteratorFor('unique', value), block),
    },
  ],
});

function selectDistinct(values: Iterable<Value>, block: Callable | null): Value[] {
  return block ? uniqueBy(values, (value) => block.call(value)) : uniqueBy(values);
}

/** Returns the distinct elements; `break()` ends it with the elements so far. */
function distinctOf(iterator: PuppetIterator, block: Callable | null): Value[] {
  const keyed: Value[] = [];
  visitUntil(iterator, (value) => {
    keyed.push([block ? block.call(value) : value, value]);
    return false;
  });
  return uniqueBy(keyed, (pair) => pairOf(pair)[0]).map((pair) => pairOf(pair)[1]);
}

/** Groups the entries of a hash by the block's result for their value: `{keys => values}`. */
function groupKeysByValue(hash: Value, block: Callable | null): PuppetHash {
  const groups = new Map<unknown, { readonly keys: Value[]; readonly values: Value[] }>();
  for (const [key, value] of hash instanceof PuppetHash ? hash.entries() : []) {
    const id = hashKey(block ? block.call(value) : value);
    const group = groups.get(id) ?? { keys: [], values: [] };
    groups.set(id, group);
    group.keys.push(key);
    group.values.push(value);
  }
  return PuppetHash.of(Array.from(groups.values(), ({ keys, values }) => [keys, uniqueBy(values)] as const));
}
