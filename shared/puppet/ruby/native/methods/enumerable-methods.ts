/** Methods of Ruby's Enumerable, over the items that `each` yields. */
import { RubySymbol } from '../../../serialization/yaml.ts';
import { uniqueBy } from '../../../types/equality.ts';
import { hashKey } from '../../../types/values/hash-key.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../types/values/regexp.ts';
import { isNumber } from '../../../types/values/value-kinds.ts';
import { DEFAULT, type Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass } from '../objects.ts';
import {
  assertIndex,
  type Block,
  blockOf,
  byName,
  getArgument,
  type MethodCall,
  noArguments,
  type Rendering,
  withoutArguments,
} from '../runtime.ts';
import { compareRubyValues, isEqual, isInstanceOf, isKnownTrue } from '../text-form.ts';
import { nativePattern } from './regexp-methods.ts';

export type Items = readonly Value[];
export type ItemsMethod = (items: Items, call: MethodCall) => Value;

function test(block: Block, item: Value): boolean {
  return isKnownTrue(block.call([item]));
}

/**
 * Creates a test of items: the block's result; without a block the item itself; with a class,
 * whether it is one of its objects.
 */
function makeTester(call: MethodCall): (item: Value) => boolean {
  const { args, block } = call;
  if (args.length > 0) {
    const pattern = getArgument(call);
    if (block || !(pattern instanceof RubyClass)) return fallBack('a pattern as argument');
    return (item) => isInstanceOf(item, pattern.name);
  }
  return block ? (item) => test(block, item) : isKnownTrue;
}

/**
 * Sorts items. Items without an order, and different items that compare as equal, are left to Ruby.
 */
function sortItems(items: Items, order: (left: Value, right: Value) => number | null): Value[] {
  return [...items].sort((left, right) => {
    const result = order(left, right);
    if (result === null) return fallBack('items without an order');
    if (result === 0 && hashKey(left) !== hashKey(right)) fallBack('items of which none is first');
    return result;
  });
}

/** Converts a block's result to an order. */
function orderOf(answer: Value): number | null {
  return isNumber(answer) ? (answer < 0 ? -1 : answer > 0 ? 1 : 0) : null;
}

/** Implements `sort`. */
export function sortArray(items: Items, { args, block }: MethodCall): Value[] {
  if (args.length > 0) fallBack('arguments');
  if (!block) return sortItems(items, compareRubyValues);
  if (!block.isPlain || items.length > ORDERED_LIMIT) fallBack('an order of its own');
  const order = (left: Value, right: Value): number | null => orderOf(block.call([left, right]));
  const result = sortItems(items, order);
  requireOrder(result, order);
  return result;
}

/** Number of items up to which a block's order is checked. */
const ORDERED_LIMIT = 64;

/**
 * Leaves an inconsistent order to Ruby, because the result then depends on the sorting algorithm.
 */
function requireOrder(items: Items, order: (left: Value, right: Value) => number | null): void {
  items.forEach((left, at) => {
    for (const right of items.slice(at + 1)) {
      if (hashKey(left) === hashKey(right)) continue;
      if (order(left, right) !== -1 || order(right, left) !== 1) fallBack('what is no order');
    }
  });
}

type Keyed = readonly [key: Value, item: Value];

function keyItems(items: Items, call: MethodCall): Keyed[] {
  const block = blockOf(call);
  return items.map((item) => [block.call([item]), item]);
}

function compareKeys([left]: Keyed, [right]: Keyed): number {
  return compareRubyValues(left, right) ?? fallBack('items without an order');
}

/** Implements `sort_by`. Items with equal keys keep their order, as in `side/sorting.rb`. */
function sortBy(items: Items, call: MethodCall): Value[] {
  return keyItems(items, call)
    .sort(compareKeys)
    .map(([, item]) => item);
}

function makeExtreme(sign: 1 | -1): ItemsMethod {
  return (items, call) => {
    noArguments(call);
    const ordered = sortItems(items, compareRubyValues);
    return (sign > 0 ? ordered.at(-1) : ordered[0]) ?? null;
  };
}

function inject(items: Items, { args, block }: MethodCall): Value {
  const [first, second] = args;
  const operator = args.length === 2 ? second : args.length === 1 && !block ? first : undefined;
  if (operator !== undefined) return addUp(items, operator, args.length === 2 ? (first ?? null) : 0n);
  if (!block || args.length > 1) fallBack('arguments');
  let [memo = null, ...rest]: Items = args.length === 1 ? [first ?? null, ...items] : items;
  for (const item of rest) memo = block.call([memo, item]);
  return memo;
}

function addUp(items: Items, operator: Value, initial: Value): Value {
  const lists = items.filter((item) => Array.isArray(item));
  if (operator instanceof RubySymbol && operator.name === '|' && lists.length === items.length && lists.length > 1)
    return uniqueBy(lists.flat());
  if (!(operator instanceof RubySymbol) || operator.name !== '+' || items.length === 0) fallBack('inject');
  let total = typeof initial === 'bigint' ? initial : fallBack('inject');
  for (const item of items) total += typeof item === 'bigint' ? item : fallBack('inject');
  return total;
}

function eachWithIndex(items: Items, call: MethodCall): null {
  const block = blockOf(call);
  items.forEach((item, at) => {
    block.call([item, BigInt(at)]);
  });
  return null;
}

function groupItems(items: Items, block: Block, render: Rendering): Map<unknown, readonly [Value, Value[]]> {
  const found = new Map<unknown, readonly [Value, Value[]]>();
  for (const item of items) {
    const key = block.call([item]);
    const group = found.get(hashKey(key)) ?? ([key, render.markOwn([])] as const);
    found.set(hashKey(key), group);
    group[1].push(item);
  }
  return found;
}

function take(items: Items, call: MethodCall): Items {
  const count = assertIndex(getArgument(call));
  return count < 0 ? fallBack('a negative count') : items.slice(0, count);
}

function takeFirst(items: Items, call: MethodCall): Value {
  return call.args.length === 0 ? (items[0] ?? null) : take(items, call);
}

/** Flattens items that are arrays by one level. */
function flatMap(items: Items, call: MethodCall): Value[] {
  const block = blockOf(call);
  return items.flatMap((item) => {
    const value = block.call([item]);
    return Array.isArray(value) ? value : [value];
  });
}

export function toHash(pairs: Items, render: Rendering): PuppetHash {
  const entries = pairs.map((pair): readonly [Value, Value] => {
    if (!Array.isArray(pair) || pair.length !== 2) return fallBack('what is no pair');
    return [pair[0] ?? null, pair[1] ?? null];
  });
  return render.markOwn(PuppetHash.of(entries));
}

/** Returns the arrays that `each_slice` yields. */
export function sliceItems(items: Items, call: MethodCall): Value[] {
  const size = sizeIn(call);
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => call.render.markOwn(items.slice(at * size, (at + 1) * size)));
}

function sizeIn({ args }: MethodCall): number {
  const size = assertIndex(args[0]);
  return args.length === 1 && size > 0 ? size : fallBack('a size');
}

function eachPart(parts: (items: Items, call: MethodCall) => Items): ItemsMethod {
  return (items, call) => {
    const block = call.block ?? fallBack('no block');
    for (const part of parts(items, call)) block.call([part]);
    return null;
  };
}

/** Creates a method that returns new arrays, so that the template may change them. */
function makeFreshMethod(method: (items: Items, call: MethodCall) => Items): ItemsMethod {
  return (items, call) => call.render.markOwn([...method(items, call)]);
}

const map = makeFreshMethod((items, call) => {
  const block = blockOf(call);
  return items.map((item) => block.call([item]));
});
const select = makeFreshMethod((items, call) => {
  const block = blockOf(call);
  return items.filter((item) => test(block, item));
});
const includes: ItemsMethod = (items, call) => {
  const wanted = getArgument(call);
  return items.some((item) => isEqual(item, wanted));
};
const find: ItemsMethod = (items, call) => {
  const block = blockOf(call);
  return items.find((item) => test(block, item)) ?? null;
};

/** By name. `each_with_index` and the like return null for `self`. */
export const ENUMERABLE = byName<ItemsMethod>({
  map,
  collect: map,
  flat_map: makeFreshMethod(flatMap),
  collect_concat: makeFreshMethod(flatMap),
  select,
  filter: select,
  find_all: select,
  reject: makeFreshMethod((items, call) => {
    const block = blockOf(call);
    return items.filter((item) => !test(block, item));
  }),
  grep: makeFreshMethod((items, call) => {
    const pattern = getArgument(call);
    if (call.block || !(pattern instanceof PuppetRegexp)) return fallBack('arguments');
    if (items.some((item) => item instanceof RubySymbol || item === DEFAULT)) return fallBack('symbols');
    call.matches.last = undefined;
    return items.filter((item) => typeof item === 'string' && nativePattern(pattern, item).test(item));
  }),
  find,
  detect: find,
  'include?': includes,
  'member?': includes,
  'any?': (items, call) => items.some(makeTester(call)),
  'all?': (items, call) => items.every(makeTester(call)),
  'none?': (items, call) => !items.some(makeTester(call)),
  sort: makeFreshMethod(sortArray),
  sort_by: makeFreshMethod(sortBy),
  min: makeExtreme(-1),
  max: makeExtreme(1),
  inject,
  reduce: inject,
  each_with_index: eachWithIndex,
  each_with_object: (items, { args, block }) => {
    const [memo] = args;
    if (!block || memo === undefined || args.length > 1) return fallBack('arguments');
    for (const item of items) block.call([item, memo]);
    return memo;
  },
  each_slice: eachPart(sliceItems),
  group_by: (items, call) => call.render.markOwn(PuppetHash.of(groupItems(items, blockOf(call), call.render).values())),
  to_a: makeFreshMethod(withoutArguments((items) => items)),
  entries: makeFreshMethod(withoutArguments((items) => items)),
  first: takeFirst,
  take: makeFreshMethod(take),
  drop: makeFreshMethod((items, call) => items.slice(take(items, call).length)),
  count: (items, call) => {
    if (call.args.length > 0) {
      const wanted = getArgument(call);
      return BigInt(items.filter((item) => isEqual(item, wanted)).length);
    }
    const { block } = call;
    return BigInt(block ? items.filter((item) => test(block, item)).length : items.length);
  },
});
