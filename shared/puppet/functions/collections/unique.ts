import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { uniqueBy } from '../../types/equality.ts';
import { hashKey } from '../../types/values/hash-key.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { PuppetIterator } from '../../types/values/puppet-iterator.ts';
import type { Value } from '../../types/values/values.ts';
import { iteratorFor, pairOf, visitUntil } from '../support/iteration.ts';

/**
 * Drops what is equal to something before it; of a hash: keys that have the same value are
 * gathered.
 */
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

/** As `distinct`; when `break()` ends it, with what there is so far. */
function distinctOf(iterator: PuppetIterator, block: Callable | null): Value[] {
  const keyed: Value[] = [];
  visitUntil(iterator, (value) => {
    keyed.push([block ? block.call(value) : value, value]);
    return false;
  });
  return uniqueBy(keyed, (pair) => pairOf(pair)[0]).map((pair) => pairOf(pair)[1]);
}

/** `{keys => values}` of the entries for whose value the block gives the same. */
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
