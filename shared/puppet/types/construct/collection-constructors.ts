/** The constructors (`new`) of Array and Hash. Follows lib/puppet/pops/types/types.rb. */

import { PuppetError } from '../../errors/puppet-error.ts';
import { checkElementCount, checkKeyCount } from '../../errors/value-limits.ts';
import { ARRAY, ArrayType, HASH } from '../collection-types.ts';
import { type Constructor, cannotConvert, createSignature, localType, mismatchHandler } from '../constructor.ts';
import { ITERABLE } from '../iterable-types.ts';
import { PType } from '../ptype.ts';
import { TupleType } from '../record-types.ts';
import { resolveAliases } from '../reference-types.ts';
import { BOOLEAN, FALSE_TYPE, IntegerType, NOT_EMPTY, TRUE_TYPE } from '../scalar-types.ts';
import { ANY, BINARY_TYPE } from '../simple-types.ts';
import { EnumType } from '../string-types.ts';
import { inspectText } from '../text/text.ts';
import { Binary } from '../values/binary.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { VariantType } from '../wrapper-types.ts';

/** The elements of any iterable value. */
function toElements(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof PuppetHash) return [...value.entries()].map(([key, item]) => [key, item]);
  if (value instanceof Binary) return [...value.bytes].map(BigInt);
  if (typeof value === 'string') return [...value];
  if (typeof value === 'bigint') return listIntegers(0n, value - 1n);
  if (value instanceof PType) return elementsOfType(resolveAliases(value));
  if (typeof value === 'object' && value !== null && 'toArray' in value && typeof value.toArray === 'function') {
    const items: unknown = value.toArray();
    return Array.isArray(items) ? items : [];
  }
  return [];
}

function listIntegers(from: bigint, to: bigint): bigint[] {
  checkElementCount(Number(to - from) + 1);
  const all: bigint[] = [];
  for (let value = from; value <= to; value += 1n) all.push(value);
  return all;
}

function elementsOfType(type: PType): readonly Value[] {
  if (type instanceof EnumType) return type.values;
  if (type instanceof IntegerType && type.from !== null && type.to !== null) return listIntegers(type.from, type.to);
  return [];
}

export const ARRAY_CONSTRUCTOR: Constructor = {
  name: 'new_array',
  signatures: [
    createSignature(
      { from: new VariantType([ARRAY, HASH, BINARY_TYPE, ITERABLE]), 'wrap?': FALSE_TYPE },
      ([from = null]) => toElements(from),
    ),
    createSignature({ from: ANY, wrap: TRUE_TYPE }, ([from = null]) => (Array.isArray(from) ? from : [from])),
  ],
  mismatches: [
    mismatchHandler({ from: ANY, 'wrap?': BOOLEAN }, ([from = null]) =>
      cannotConvert(from, 'Array').replace(/^The string '.*'/s, 'Value of type String'),
    ),
  ],
};

const TREE = localType('TreeArray', new ArrayType(new TupleType([ARRAY, ANY]), NOT_EMPTY));
const PAIRS = localType('KeyValueArray', new ArrayType(new TupleType([ANY, ANY]), NOT_EMPTY));
const OPTION = localType('NewHashOption', new EnumType(['tree', 'hash_tree']));

export const HASH_CONSTRUCTOR: Constructor = {
  name: 'new_hash',
  signatures: [
    createSignature({ from: TREE, 'build_option?': OPTION }, ([from = null, option]) => {
      const entries = toElements(from);
      return option === undefined ? hashOfPairs(entries) : hashOfTree(entries, option === 'hash_tree');
    }),
    createSignature({ from: PAIRS }, ([from = null]) => hashOfPairs(toElements(from))),
    createSignature({ from: ANY }, ([from = null]) => hashOfAnything(from)),
  ],
  mismatches: [],
};

function hashOfPairs(pairs: readonly Value[]): PuppetHash {
  const hash = new PuppetHash();
  for (const pair of pairs) {
    const [key = null, value = null] = Array.isArray(pair) ? pair : [pair];
    addKey(hash, key, value);
  }
  return hash;
}

/** Throws ValueLimitError as soon as the hash has too many keys. */
function addKey(hash: PuppetHash, key: Value, value: Value): void {
  hash.set(key, value);
  checkKeyCount(hash.sizeForLimits);
}

function hashOfAnything(from: Value): PuppetHash {
  if (from instanceof PuppetHash) return from;
  if (!ITERABLE.isInstance(from)) {
    throw new PuppetError(cannotConvert(from, 'Hash').replace(/^The string '.*'/s, 'Value of type String'));
  }
  const items = toElements(from);
  // Ruby: Hash.[]
  if (items.length % 2 !== 0) throw new PuppetError('odd number of arguments for Hash');
  const hash = new PuppetHash();
  for (let index = 0; index < items.length; index += 2) addKey(hash, items[index] ?? null, items[index + 1] ?? null);
  return hash;
}

function hashOfTree(entries: readonly Value[], all: boolean): Value {
  let root: Value = new PuppetHash();
  for (const entry of entries) {
    if (!Array.isArray(entry)) continue;
    const [path, value = null]: readonly Value[] = entry;
    root = Array.isArray(path) ? placeValue(root, path, value, all) : root;
  }
  return root;
}

// Puppet: a string is indexed like a container, and Ruby rejects that.
function noContainer(text: string, key: Value, isInner: boolean): PuppetError {
  // Ruby: NoMethodError
  if (isInner) return new PuppetError(`undefined method \`has_key?' for ${inspectText(text)}:String`);
  // Ruby: String#[]=
  if (typeof key === 'string' && !text.includes(key)) return new PuppetError('string not matched');
  const size = BigInt([...text].length);
  // Ruby: String#[]=
  if (typeof key === 'bigint' && (key > size || key < -size)) return new PuppetError(`index ${key} out of string`);
  // Ruby: FrozenError
  return new PuppetError(`can't modify frozen String: ${inspectText(text)}`);
}

/** A copy of `node` with `value` at `path`. */
function placeValue(node: Value, path: readonly Value[], value: Value, all: boolean): Value {
  const [first, ...rest] = path;
  if (first === undefined) return mergeRoot(node, value);
  if (typeof node === 'string') throw noContainer(node, first, rest.length > 0);
  if (Array.isArray(node)) {
    const items: Value[] = [...node];
    const index = typeof first === 'bigint' ? Number(first) : 0;
    items[index] =
      rest.length === 0 ? toLeaf(value, all) : placeValue(items[index] ?? new PuppetHash(), rest, value, all);
    return items;
  }
  const hash = node instanceof PuppetHash ? PuppetHash.of(node.entries()) : new PuppetHash();
  const below = hash.get(first) ?? new PuppetHash();
  return hash.set(first, rest.length === 0 ? toLeaf(value, all) : placeValue(below, rest, value, all));
}

function toLeaf(value: Value, all: boolean): Value {
  return all && Array.isArray(value) ? arrayAsHash(value) : value;
}

function arrayAsHash(items: readonly Value[]): PuppetHash {
  return PuppetHash.of(items.map((item, index) => [BigInt(index), toLeaf(item, true)] as const));
}

/** Places a value at the empty path: overlays the root with it. */
function mergeRoot(node: Value, value: Value): Value {
  const hash = node instanceof PuppetHash ? node : new PuppetHash();
  if (Array.isArray(value)) {
    return hash.merge(PuppetHash.of(value.map((item: Value, index) => [BigInt(index), item] as const)));
  }
  return value instanceof PuppetHash ? hash.merge(value) : hash;
}
