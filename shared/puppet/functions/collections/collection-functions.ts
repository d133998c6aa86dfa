import { mergeSort } from '../../../util/merge-sort.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, PuppetFunction } from '../../evaluator/ports.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { uniqueBy } from '../../types/equality.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { Binary } from '../../types/values/binary.ts';
import { BytesText, joinRubyTexts } from '../../types/values/bytes-text.ts';
import { hashKey } from '../../types/values/hash-key.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { PuppetIterator } from '../../types/values/puppet-iterator.ts';
import { isArray } from '../../types/values/value-kinds.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { callLocation } from '../support/call-location.ts';
import { flattenDeep as flattened } from '../support/conversion.ts';
import { warnOnce } from '../support/deprecation.ts';
import { iteratorFor, pairOf, visitUntil } from '../support/iteration.ts';
import { compareNaturally, toBlockComparison } from '../support/ruby-order.ts';

function joinDeep(value: Value, delimiter: string): string | BytesText {
  if (isArray(value))
    return joinRubyTexts(
      value.map((item) => joinDeep(item, delimiter)),
      delimiter,
    );
  return value instanceof BytesText ? value : rubyToS(value);
}

/** Returns the number of elements, entries, characters or bytes. */
function lengthOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(splitCharacters(value).length);
  if (Array.isArray(value)) return BigInt(value.length);
  if (value instanceof PuppetHash) return BigInt(value.size);
  return value instanceof Binary ? BigInt(value.bytes.length) : 0n;
}

function sortValues(values: readonly Value[], block: Callable | null): Value[] {
  return mergeSort(values, block ? toBlockComparison(block) : compareNaturally);
}

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

/** The functions of arrays, hashes and texts as collections. */
export const COLLECTION_FUNCTIONS: readonly PuppetFunction[] = [
  defineFunction('empty', [
    { params: ['Collection coll'], body: (_, [value = null]) => lengthOf(value) === 0n },
    {
      params: ['Sensitive[String] str'],
      body: (_, [value]) => value instanceof Sensitive && value.unwrap() === '',
    },
    { params: ['String str'], body: (_, [value]) => value === '' },
    {
      params: ['Numeric num'],
      body: (site) => {
        const { file, line } = callLocation(site);
        const message = 'Calling function empty() with Numeric value is deprecated.';
        warnOnce(site, `empty-from-${file}-${line}`, message, { file, line });
        return false;
      },
    },
    { params: ['Binary bin'], body: (_, [value = null]) => lengthOf(value) === 0n },
    { params: ['Undef x'], body: () => true },
  ]),
  defineFunction('flatten', { params: ['*Any args'], body: (_, args) => flattened(args) }),
  /**
   * Ruby's `Array#join`: nested arrays are joined with the same delimiter; an empty array gives an
   * empty text.
   */
  defineFunction('join', {
    params: ['Array arg', '?String delimiter'],
    body: (_, [array, delimiter = '']) => joinDeep(array ?? null, String(delimiter)),
  }),
  defineFunction('keys', {
    params: ['Hash hsh'],
    body: (_, [hash]) => (hash instanceof PuppetHash ? [...hash.keys()] : []),
  }),
  defineFunction('values', {
    params: ['Hash hsh'],
    body: (_, [hash]) => (hash instanceof PuppetHash ? [...hash.values()] : []),
  }),
  defineFunction(
    'length',
    ['Collection', 'String', 'Binary'].map((type) => ({
      params: [`${type} arg`],
      body: (_, [value = null]) => lengthOf(value),
    })),
  ),
  defineFunction('size', {
    params: ['Variant[Collection, String, Binary] arg'],
    body: (_, [value = null]) => lengthOf(value),
  }),
  /** Sorts the elements of an array, or the characters of a String. */
  defineFunction('sort', [
    {
      params: ['String string_value'],
      block: '?Callable[2,2] block',
      body: (_, [text], block) => sortValues(splitCharacters(String(text)), block).join(''),
    },
    {
      params: ['Array array_value'],
      block: '?Callable[2,2] block',
      body: (_, [array], block) => sortValues(Array.isArray(array) ? array : [], block),
    },
  ]),
  /** Removes duplicates; the first one remains. For a hash, keys with equal values are grouped. */
  defineFunction('unique', [
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
  ]),
];
