/** puppetlabs-stdlib's functions for arrays. Follows its lib/puppet/parser/functions. */

import { toI } from '../../ruby-core/ruby-integer.ts';
import { rubyEquals, uniqueBy } from '../../types/equality.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { hashKey } from '../../types/values/hash-key.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep } from '../support/conversion.ts';
import { toBoolean } from './boolean-functions.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

type List = readonly Value[];

function isList(value: Value | undefined): value is List {
  return Array.isArray(value);
}

export const any2array = defineValueFunction('any2array', (args) => {
  const [only = null] = args;
  if (args.length !== 1) return [...args];
  if (isList(only)) return only;
  if (only === '') return [];
  return only instanceof PuppetHash ? [...only].flat() : [...args];
});

export const concat = defineValueFunction('concat', (args) => {
  checkCount(
    'concat',
    args,
    2,
    Number.POSITIVE_INFINITY,
    `concat(): Wrong number of arguments given (${args.length} for < 2)`,
  );
  const [first, ...rest] = args;
  if (!isList(first)) return refuse('concat(): Requires array to work with');
  return [...first, ...rest.flatMap((item): List => (isList(item) ? item : [item]))];
});

export const count = defineValueFunction(
  'count',
  (args) => {
    if (args.length > 2) return refuse(`count(): Wrong number of arguments given ${args.length} for 1 or 2.`);
    const [collection, item = null] = args;
    const values: List = isList(collection)
      ? collection
      : collection instanceof PuppetHash
        ? [...collection].map(pairValue)
        : [];
    const wanted =
      item === null || item === false
        ? (value: Value) => value !== null && value !== ''
        : (value: Value) => rubyEquals(value, item);
    return BigInt(values.filter(wanted).length);
  },
  -2,
);

function pairValue([key, value]: readonly [Value, Value]): Value {
  return [key, value];
}

/** Ruby's `Array(x)`. */
function asList(value: Value): List {
  if (isList(value)) return value;
  if (value instanceof PuppetHash) return [...value].map(pairValue);
  return value === null ? [] : [value];
}

export const deleteFunction = defineValueFunction('delete', (args) => {
  checkCount('delete', args, 2, 2, `delete(): Wrong number of arguments given ${args.length} for 2`);
  const [collection = null, items = null] = args;
  const unwanted = asList(items);
  if (isList(collection)) return collection.filter((value) => !unwanted.some((item) => rubyEquals(value, item)));
  if (collection instanceof PuppetHash)
    return removeEntries(collection, (key) => unwanted.some((item) => sameKey(key, item)));
  if (typeof collection === 'string') {
    return unwanted.reduce<string>((text, item) => text.replaceAll(rubyToS(item), ''), collection);
  }
  return refuse(
    'delete(): First argument must be an Array, String, or Hash. ' +
      `Given an argument of class ${rubyClassName(collection)}.`,
  );
});

function sameKey(left: Value, right: Value): boolean {
  return hashKey(left) === hashKey(right);
}

function removeEntries(hash: PuppetHash, unwanted: (key: Value, value: Value) => boolean): PuppetHash {
  return PuppetHash.of([...hash].filter(([key, value]) => !unwanted(key, value)));
}

export const deleteAt = defineValueFunction('delete_at', (args) => {
  checkCount('delete_at', args, 2, Number.POSITIVE_INFINITY);
  const [array, position = null] = args;
  if (!isList(array)) return refuse('delete_at(): Requires array to work with');
  if (typeof position === 'string' && !/(?<![^\n])\d+(?![^\n])/.test(position)) {
    return refuse('delete_at(): You must provide non-negative numeric index');
  }
  const index = Number(typeof position === 'string' ? toI(position) : position);
  if (index > array.length - 1) return refuse('delete_at(): Given index exceeds size of array given');
  return array.filter((_, at) => at !== (index < 0 ? array.length + index : index));
});

export const deleteRegex = defineValueFunction('delete_regex', (args) => {
  checkCount('delete_regex', args, 2, 2, `delete_regex(): Wrong number of arguments given ${args.length} for 2`);
  const [collection = null, items = null] = args;
  const patterns = asList(items).map((item) => new PuppetRegexp(`\\b${rubyToS(item)}\\b`));
  const isUnwanted = (value: Value) => typeof value === 'string' && patterns.some((pattern) => pattern.test(value));
  if (isList(collection)) return collection.filter((value) => !isUnwanted(value));
  if (collection instanceof PuppetHash) return removeEntries(collection, isUnwanted);
  return refuse(
    'delete_regex(): First argument must be an Array, Hash, or String. ' +
      `Given an argument of class ${rubyClassName(collection)}.`,
  );
});

export const deleteUndefValues = defineValueFunction('delete_undef_values', (args) => {
  checkCount(
    'delete_undef_values',
    args,
    1,
    Number.POSITIVE_INFINITY,
    `delete_undef_values(): Wrong number of arguments given (${args.length})`,
  );
  const [collection = null] = args;
  if (isList(collection)) return collection.filter((value) => value !== null);
  if (collection instanceof PuppetHash) return removeEntries(collection, (_, value) => value === null);
  return refuse(
    `delete_undef_values(): expected an array or hash, got ${rubyToS(collection)} type  ${rubyClassName(collection)} `,
  );
});

/** Defines a function of two arrays. */
function twoArrays(
  name: string,
  combine: (first: List, second: List) => Value,
  complaint: (first: Value, second: Value) => string,
) {
  return defineValueFunction(name, (args) => {
    checkCount(name, args, 2, 2);
    const [first = null, second = null] = args;
    return isList(first) && isList(second) ? combine(first, second) : refuse(complaint(first, second));
  });
}

function keysOf(values: List): ReadonlySet<unknown> {
  return new Set(values.map(hashKey));
}

function subtract(first: List, second: List): Value[] {
  const unwanted = keysOf(second);
  return first.filter((value) => !unwanted.has(hashKey(value)));
}

export const difference = twoArrays('difference', subtract, () => 'difference(): Requires 2 arrays');

export const intersection = twoArrays(
  'intersection',
  (first, second) => {
    const wanted = keysOf(second);
    return uniqueBy(first.filter((value) => wanted.has(hashKey(value))));
  },
  (first, second) => `intersection(): Requires 2 arrays, got ${rubyClassName(first)} and ${rubyClassName(second)}`,
);

export const union = defineValueFunction('union', (args) => {
  checkCount(
    'union',
    args,
    2,
    Number.POSITIVE_INFINITY,
    `union(): Wrong number of arguments given (${args.length} for < 2)`,
  );
  if (!args.every(isList)) return refuse('union(): Every parameter must be an array');
  return uniqueBy(args.flatMap((values): List => (isList(values) ? values : [])));
});

export const member = defineValueFunction('member', (args) => {
  checkCount('member', args, 2, Number.POSITIVE_INFINITY);
  const [array, wanted = null] = args;
  if (!isList(array)) return refuse('member(): Requires array to work with');
  if (typeof wanted !== 'string' && typeof wanted !== 'bigint' && !isList(wanted)) {
    return refuse('member(): Item to search for must be a string, fixnum, or array');
  }
  const items = isList(wanted) ? wanted : [wanted];
  if (items.length === 0) return refuse('member(): You must provide item to search for within array given');
  return subtract(items, array).length === 0;
});

function defineGrepFunction(name: string, keep: boolean) {
  return defineValueFunction(name, (args) => {
    checkCount(name, args, 2, 2, `${name}(): Wrong number of arguments given ${args.length} for 2`);
    const [array, pattern = null] = args;
    const regexp = new PuppetRegexp(rubyToS(pattern));
    const isKept = (value: Value): boolean => (typeof value === 'string' && regexp.test(value)) === keep;
    // An entry of a hash is a pair, and a pattern matches no pair.
    if (array instanceof PuppetHash) return keep ? [] : array;
    return (isList(array) ? array : []).filter(isKept);
  });
}

export const grep = defineGrepFunction('grep', true);
export const reject = defineGrepFunction('reject', false);

function affixFunction(name: string, attach: (text: string, affix: string) => string) {
  return defineValueFunction(name, (args) => {
    checkCount(name, args, 1, Number.POSITIVE_INFINITY);
    const [collection = null, given = null] = args;
    const affix = given === null || given === false ? '' : given;
    if (!isList(collection) && !(collection instanceof PuppetHash)) {
      return refuse(`${name}(): expected first argument to be an Array or a Hash, got ${inspectRuby(collection)}`);
    }
    if (typeof affix !== 'string') {
      return refuse(`${name}(): expected second argument to be a String, got ${inspectRuby(affix)}`);
    }
    if (isList(collection)) return collection.map((value) => attach(rubyToS(value), affix));
    return PuppetHash.of([...collection].map(([key, value]) => [attach(rubyToS(key), affix), value] as const));
  });
}

export const prefix = affixFunction('prefix', (text, affix) => affix + text);
export const suffix = affixFunction('suffix', (text, affix) => text + affix);

export const zip = defineValueFunction('zip', (args) => {
  checkCount('zip', args, 2, Number.POSITIVE_INFINITY);
  const [first, second, flat = null] = args;
  if (!isList(first) || !isList(second)) return refuse('zip(): Requires array to work with');
  const pairs: Value[] = first.map((value, index) => [value, second[index] ?? null]);
  return flat !== null && toBoolean('str2bool', flat) ? flattenDeep(pairs) : pairs;
});

export const valuesAt = defineValueFunction('values_at', (args) => {
  checkCount('values_at', args, 2, Number.POSITIVE_INFINITY);
  const [array, positions = null] = args;
  if (!isList(array)) return refuse('values_at(): Requires array to work with');
  const indices = flattenDeep([positions]);
  if (indices.length === 0) return refuse('values_at(): You must provide at least one positive index to collect');
  return indices
    .flatMap((index) => positionsIn(array, rubyToS(index)))
    .map((index) => array[index] ?? null)
    .filter((value) => value !== null);
});

/** Parses positions: `3`, `1-3`, `1..3` or (without the last) `1...3`. */
function positionsIn(array: List, text: string): number[] {
  const range = /(?<![^\n])(\d+)(\.\.\.?|-)(\d+)(?![^\n])/.exec(text);
  if (!range) {
    if (!/(?<![^\n])\d+(?![^\n])/.test(text)) return refuse('values_at(): Unknown format of given index');
    const index = Number(toI(text));
    return index > array.length - 1 ? refuse('values_at(): Given index exceeds array size') : [index];
  }
  const start = Number(range[1]);
  const stop = Number(range[3]);
  if (start > stop) return refuse('values_at(): Stop index in given indices range is smaller than the start index');
  if (stop > array.length - 1) return refuse('values_at(): Stop index in given indices range exceeds array size');
  const end = range[2] === '...' ? stop : stop + 1;
  return Array.from({ length: end - start }, (_, offset) => start + offset);
}

export const reverse = defineValueFunction('reverse', (args) => {
  checkCount('reverse', args, 1, Number.POSITIVE_INFINITY);
  const [value] = args;
  if (isList(value)) return [...value].reverse();
  if (typeof value === 'string') return [...value].reverse().join('');
  return refuse('reverse(): Requires either array or string to work with');
});
