import { uniqueBy } from '../../../types/equality.ts';
import { hashKey } from '../../../types/values/hash-key.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyRange } from '../objects.ts';
import {
  assertIndex,
  assertText,
  blockOf,
  byName,
  getArgument,
  type MethodCall,
  noArguments,
  type RubyMethod,
  withoutArguments,
} from '../runtime.ts';
import { compareRubyValues, inspect, isEqual, isKnownTrue, type TextRules, toS } from '../text-form.ts';
import { ARRAY_CHANGES, digIn } from './container-changes.ts';
import { ENUMERABLE, type Items, toHash } from './enumerable-methods.ts';
import { enumeratorOf } from './enumerators.ts';
import { boundsOf } from './regexp-methods.ts';

type ArrayMethod = RubyMethod<Items>;

/** Larger arrays are left to Ruby. */
const ITEMS_LIMIT = 100_000;

function getElement(self: Items, call: MethodCall): Value {
  const [at, count] = call.args;
  if (call.args.length === 2) {
    const [start, length] = [assertIndex(at), assertIndex(count)];
    const from = start < 0 ? start + self.length : start;
    return from < 0 || from > self.length || length < 0 ? null : call.render.markOwn(self.slice(from, from + length));
  }
  if (at instanceof RubyRange && call.args.length === 1) {
    const bounds = boundsOf(at, self.length);
    return bounds && call.render.markOwn(self.slice(...bounds));
  }
  return self.at(assertIndex(getArgument(call))) ?? null;
}

/** Joins items like `Array#join`: nested arrays are joined too. */
function joinItems(items: Items, separator: string, rules: TextRules): string {
  return items
    .map((item) => (Array.isArray(item) ? joinItems(item, separator, rules) : toS(item, rules)))
    .join(separator);
}

function join(self: Items, { args, block, render }: MethodCall): string {
  const [separator = null] = args;
  if (args.length > 1 || block) fallBack('arguments');
  return joinItems(self, separator === null ? '' : assertText(separator), render);
}

function flatten(self: Items, { args, block }: MethodCall): Value[] {
  if (args.length > 1 || block) fallBack('arguments');
  const depth = args.length === 0 ? Number.POSITIVE_INFINITY : assertIndex(args[0]);
  return flattenItems(self, depth < 0 ? Number.POSITIVE_INFINITY : depth);
}

function flattenItems(items: Items, depth: number): Value[] {
  return items.flatMap((item): Items => (Array.isArray(item) && depth > 0 ? flattenItems(item, depth - 1) : [item]));
}

function subtractItems(items: Items, others: Items): Items {
  const keys = new Set(others.map(hashKey));
  return items.filter((item) => !keys.has(hashKey(item)));
}

function intersectItems(items: Items, others: Items): Items {
  const keys = new Set(others.map(hashKey));
  return uniqueBy(items.filter((item) => keys.has(hashKey(item))));
}

function list(value: Value): Items {
  return Array.isArray(value) ? value : fallBack('what is no array');
}

function makeFreshMethod(method: (self: Items, call: MethodCall) => Items): ArrayMethod {
  return (self, call) => call.render.markOwn([...method(self, call)]);
}

/** Creates a method that changes the array. */
function makeChangingMethod(change: (self: Value[], args: readonly Value[]) => Value): ArrayMethod {
  return (self, { render, args, block }) => {
    if (block || self.length > ITEMS_LIMIT) fallBack('arguments');
    return change(render.assertChangeable(self), args);
  };
}

/** Replaces the array's items; returns null when nothing changed. */
function replaceItems(self: Value[], items: readonly Value[]): Value {
  if (items.length === self.length) return null;
  self.splice(0, self.length, ...items);
  return self;
}

const size: ArrayMethod = withoutArguments((self) => BigInt(self.length));
const each: ArrayMethod = (self, call) => {
  const block = blockOf(call);
  for (let at = 0; at < self.length; at += 1) block.call([self[at] ?? null]);
  return self;
};
const indexOf: ArrayMethod = (self, call) => {
  const { block, args } = call;
  const wanted = block && args.length === 0 ? null : getArgument(call);
  const fits = (item: Value): boolean =>
    block && args.length === 0 ? isKnownTrue(block.call([item])) : isEqual(item, wanted);
  const at = self.findIndex(fits);
  return at < 0 ? null : BigInt(at);
};
const append = makeChangingMethod((self, args) => {
  self.push(...args);
  return self;
});
const prepend = makeChangingMethod((self, args) => {
  self.unshift(...args);
  return self;
});
const text_ = (self: Items, call: MethodCall): string => {
  noArguments(call);
  return inspect(self, call.render);
};

export const ARRAY_METHODS = byName<ArrayMethod>({
  '[]': getElement,
  slice: getElement,
  dig: digIn,
  fetch: (self, { args, block }) => {
    const found = self.at(assertIndex(args[0]));
    if (found !== undefined) return found;
    return args.length === 2 && !block && args[1] !== undefined ? args[1] : fallBack('nothing there');
  },
  last: (self, call) => {
    if (call.args.length === 0) return self.at(-1) ?? null;
    const count = assertIndex(getArgument(call));
    return count < 0 ? fallBack('a negative count') : call.render.markOwn(self.slice(Math.max(0, self.length - count)));
  },
  length: size,
  size,
  'empty?': withoutArguments((self) => self.length === 0),
  each,
  each_index: (self, call) => {
    const block = blockOf(call);
    for (let at = 0; at < self.length; at += 1) block.call([BigInt(at)]);
    return self;
  },
  join,
  to_s: text_,
  inspect: text_,
  to_a: withoutArguments((self) => self),
  to_h: (self, call) =>
    call.args.length > 0
      ? fallBack('arguments')
      : toHash(call.block ? self.map((item) => call.block?.call([item]) ?? null) : self, call.render),
  flatten: makeFreshMethod(flatten),
  compact: withoutArguments((self, { render }) => render.markOwn(self.filter((item) => item !== null))),
  reverse: withoutArguments((self, { render }) => render.markOwn(self.toReversed())),
  uniq: makeFreshMethod((self, { args, block }) => {
    if (args.length > 0) fallBack('arguments');
    if (self.length < 2) return self;
    return uniqueBy(self, block ? (item) => block.call([item]) : undefined);
  }),
  index: indexOf,
  '+': makeFreshMethod((self, call) => [...self, ...list(getArgument(call))]),
  '-': makeFreshMethod((self, call) => subtractItems(self, list(getArgument(call)))),
  '&': makeFreshMethod((self, call) => intersectItems(self, list(getArgument(call)))),
  '|': makeFreshMethod((self, call) => uniqueBy([...self, ...list(getArgument(call))])),
  '<=>': (self, call) => {
    const order = compareRubyValues(self, list(getArgument(call)));
    return order === null ? null : BigInt(order);
  },
  zip: makeFreshMethod((self, { args, block }) => {
    if (block) fallBack('a block');
    return self.map((item, at) => [item, ...args.map((other) => list(other)[at] ?? null)]);
  }),
  '<<': makeChangingMethod((self, args) => {
    if (args.length !== 1) fallBack('arguments');
    self.push(...args);
    return self;
  }),
  push: append,
  append,
  unshift: prepend,
  prepend,
  'compact!': makeChangingMethod((self, args) => {
    if (args.length > 0) fallBack('arguments');
    return replaceItems(
      self,
      self.filter((item) => item !== null),
    );
  }),
  delete: makeChangingMethod((self, args) => {
    const [wanted = null] = args;
    const found = self.findLast((item) => isEqual(item, wanted)) ?? null;
    if (args.length !== 1) fallBack('arguments');
    replaceItems(
      self,
      self.filter((item) => !isEqual(item, wanted)),
    );
    return found;
  }),
  pop: makeChangingMethod((self, args) => (args.length > 0 ? fallBack('arguments') : (self.pop() ?? null))),
  shift: makeChangingMethod((self, args) => (args.length > 0 ? fallBack('arguments') : (self.shift() ?? null))),
  '[]=': makeChangingMethod((self, args) => {
    const [at, value = null] = args;
    const position = assertIndex(at);
    if (args.length !== 2 || position < 0 || position > self.length) fallBack('a place outside');
    self[position] = value;
    return value;
  }),
});

/** Methods that return the array itself. */
const SELF: ReadonlySet<string> = new Set(['each_with_index', 'each_slice']);

export function findArrayMethod(name: string): ArrayMethod | undefined {
  const changing = ARRAY_CHANGES.get(name);
  const method = changing ? undefined : findMethod(name);
  if (!method) return changing;
  const run: ArrayMethod = (self, call) =>
    call.block ? call.render.walk(self, () => method(self, call)) : method(self, call);
  return (self, call) => enumeratorOf(name, self, call, (made) => run(self, made)) ?? run(self, call);
}

function findMethod(name: string): ArrayMethod | undefined {
  const own = ARRAY_METHODS.get(name);
  if (own) return own;
  const method = ENUMERABLE.get(name);
  if (!method || !SELF.has(name)) return method;
  return (self, call) => {
    method(self, call);
    return self;
  };
}
