/** Methods that all values have, and those of nil, booleans, symbols and ranges. */

import { rubySprintf, SprintfError, type SprintfValues } from '../../../ruby-core/ruby-sprintf.ts';
import { compareStrings } from '../../../ruby-core/ruby-string.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import { RichValue, Sensitive, type Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass, type RubyRange } from '../objects.ts';
import { argument, blockOf, index, type MethodCall, noArguments, type RubyMethod } from '../runtime.ts';
import { classOf, compare, inspect, isA, isEqual, isNumber, isTruthy, toS } from '../text-form.ts';
import { ENUMERABLE, type ItemsMethod } from './enumerable-methods.ts';
import { enumeratorOf } from './enumerators.ts';
import { toJson } from './json-methods.ts';
import { toYaml } from './yaml-methods.ts';

function plain<T extends Value>(method: (self: T) => Value): RubyMethod<T> {
  return (self, call) => {
    noArguments(call);
    return method(self);
  };
}

function className(value: Value): string {
  return value instanceof RubyClass ? value.name : fallBack('what is no class');
}

const isKind: RubyMethod = (self, call) => isA(self, className(argument(call)));

/** Classes that have a method. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  each: ['Array', 'Hash', 'Range'],
  'empty?': ['Array', 'Hash', 'String', 'Symbol'],
  keys: ['Hash'],
  join: ['Array'],
  to_sym: ['String', 'Symbol'],
  to_str: ['String'],
  to_ary: ['Array'],
  to_hash: ['Hash'],
  upcase: ['String', 'Symbol'],
  downcase: ['String', 'Symbol'],
  unwrap: ['Sensitive'],
};

function respondsTo(self: Value, name: Value): boolean {
  const text = name instanceof RubySymbol ? name.name : name;
  if (text === 'unwrap' && self instanceof Sensitive) return true;
  const owners = (typeof text === 'string' && OWNERS[text]) || fallBack('respond_to?');
  return owners.includes(classOf(self));
}

/** What no value has in another way. */
export const COMMON: ReadonlyMap<string, RubyMethod> = new Map<string, RubyMethod>([
  ['==', (self, call) => isEqual(self, argument(call))],
  ['===', (self, call) => isEqual(self, argument(call))],
  // What was there before Ruby 3.2, and code of modules finds.
  [
    '=~',
    (self, call) => {
      argument(call);
      return self instanceof RichValue ? fallBack('an object matched') : null;
    },
  ],
  ['nil?', plain((self) => classOf(self) === 'NilClass')],
  ['is_a?', isKind],
  ['kind_of?', isKind],
  ['instance_of?', (self, call) => classOf(self) === className(argument(call))],
  ['class', plain((self) => new RubyClass(classOf(self)))],
  ['to_s', plain(toS)],
  ['inspect', plain(inspect)],
  ['!', plain((self) => !isTruthy(self))],
  ['to_json', toJson],
  ['to_yaml', toYaml],
  ['respond_to?', (self, call) => respondsTo(self, argument(call))],
  ['freeze', plain((self) => (typeof self === 'object' && self !== null ? fallBack('freeze') : self))],
]);

export const NIL_METHODS: ReadonlyMap<string, RubyMethod> = new Map<string, RubyMethod>([
  [
    'to_a',
    (_, call) => {
      noArguments(call);
      return call.render.own([]);
    },
  ],
  ['to_i', plain(() => 0n)],
  ['to_f', plain(() => 0)],
  [
    '=~',
    (_, call) => {
      argument(call);
      return null;
    },
  ],
  [
    '&',
    (_, call) => {
      argument(call);
      return false;
    },
  ],
  ['|', (_, call) => isTruthy(argument(call))],
]);

export const BOOLEAN_METHODS: ReadonlyMap<string, RubyMethod> = new Map<string, RubyMethod>([
  ['&', (self, call) => isTruthy(argument(call)) && isTruthy(self)],
  ['|', (self, call) => isTruthy(argument(call)) || isTruthy(self)],
  ['^', (self, call) => isTruthy(argument(call)) !== isTruthy(self)],
]);

export const SYMBOL_METHODS: ReadonlyMap<string, RubyMethod<RubySymbol>> = new Map<string, RubyMethod<RubySymbol>>([
  ['to_s', plain((self) => self.name)],
  ['id2name', plain((self) => self.name)],
  ['to_sym', plain((self) => self)],
  [
    '<=>',
    (self, call) => {
      const other = argument(call);
      if (other instanceof RubySymbol) return BigInt(compareStrings(self.name, other.name));
      return other instanceof RichValue ? fallBack('an object compared') : null;
    },
  ],
]);

/** What a Sensitive has of its own; all else is left to Ruby. */
export const SENSITIVE_METHODS: ReadonlyMap<string, RubyMethod<Sensitive>> = new Map<string, RubyMethod<Sensitive>>([
  ['unwrap', plain((self) => self.unwrap())],
  ['nil?', plain(() => false)],
]);

const RANGE_LIMIT = 10_000;

function numbers(self: RubyRange): bigint[] {
  const [from, to] = [index(self.from), index(self.to)];
  const length = Math.max(0, to - from + (self.excludesEnd ? 0 : 1));
  if (length > RANGE_LIMIT) fallBack('a long range');
  return Array.from({ length }, (_, at) => BigInt(from + at));
}

const covers: RubyMethod<RubyRange> = (self, call) => {
  const value = argument(call);
  if (!isNumber(self.from) || !isNumber(self.to)) return fallBack('a range of other things than numbers');
  if (!isNumber(value)) return fallBack('other things than numbers in a range');
  const low = compare(self.from, value);
  const high = compare(value, self.to);
  if (low === null || high === null) return false;
  return low <= 0 && (self.excludesEnd ? high < 0 : high <= 0);
};

/** What a range gives as the array of its numbers gives it. */
const OF_NUMBERS: ReadonlySet<string> = new Set(
  `map collect flat_map collect_concat select filter find_all reject filter_map partition group_by find detect any? all? none? one?
  each_with_index each_slice each_cons each_with_object to_a entries inject reduce sum take take_while drop drop_while sort sort_by
  min_by max_by`.split(/\s+/),
);
/** Those of them that give the range itself, with a block. */
const SELF: ReadonlySet<string> = new Set(['each_with_index', 'each_slice', 'each_cons']);

const OWN_OF_RANGE: ReadonlyMap<string, RubyMethod<RubyRange>> = new Map<string, RubyMethod<RubyRange>>([
  ['include?', covers],
  ['member?', covers],
  ['cover?', covers],
  ['===', covers],
  [
    'each',
    (self, call) => {
      const block = blockOf(call);
      for (const number of numbers(self)) block.call([number]);
      return self;
    },
  ],
  [
    'first',
    (self, call) => {
      if (call.block) return fallBack('a block');
      if (call.args.length === 0) return BigInt(index(self.from));
      const count = index(argument(call));
      return count < 0 ? fallBack('a negative count') : call.render.own(numbers(self).slice(0, count));
    },
  ],
  [
    'reverse_each',
    (self, call) => {
      const block = blockOf(call);
      for (const number of numbers(self).reverse()) block.call([number]);
      return self;
    },
  ],
  [
    'step',
    (self, call) => {
      const { block } = call;
      const by = index(argument({ ...call, block: null }));
      if (!block || by <= 0) return fallBack('steps');
      numbers(self).forEach((number, at) => {
        if (at % by === 0) block.call([number]);
      });
      return self;
    },
  ],
  ['size', plain((self) => BigInt(numbers(self).length))],
  ['min', plain((self) => numbers(self)[0] ?? null)],
  ['max', plain((self) => numbers(self).at(-1) ?? null)],
  ['begin', plain((self) => self.from)],
  ['last', plain((self) => BigInt(index(self.to)))],
  ['end', plain((self) => self.to)],
]);

export function findRangeMethod(name: string): RubyMethod<RubyRange> | undefined {
  const own = OWN_OF_RANGE.get(name);
  const method = OF_NUMBERS.has(name) ? ENUMERABLE.get(name) : undefined;
  const run = own ?? (method && ((self: RubyRange, call: MethodCall) => ofNumbers(self, name, method, call)));
  if (!run || (own && name !== 'each')) return own;
  return (self, call) =>
    call.block
      ? run(self, call)
      : (enumeratorOf(name, numbers(self), call, (made) => run(self, made)) ?? run(self, call));
}

function ofNumbers(self: RubyRange, name: string, method: ItemsMethod, call: MethodCall): Value {
  const result = method(numbers(self), call);
  return SELF.has(name) ? self : result;
}

const FORMATTED: SprintfValues<Value> = {
  toS,
  inspect,
  className: classOf,
  entry: (hash, key) => (hash instanceof PuppetHash ? hash.get(new RubySymbol(key)) : null),
};

/** `format(...)`. */
export function formatText(format: string, args: readonly Value[]): string {
  if (/%[^a-zA-Z%]*[aA]/.test(format)) fallBack('a float as text');
  try {
    return rubySprintf(format, args, FORMATTED);
  } catch (error) {
    if (error instanceof SprintfError) return fallBack(error.message);
    throw error;
  }
}

export function noBlock({ block }: MethodCall): void {
  if (block) fallBack('a block');
}
