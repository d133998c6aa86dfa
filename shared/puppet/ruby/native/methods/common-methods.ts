import { isNumber } from '../../../types/values/value-kinds.ts';
/** Methods of all values, and those of nil, booleans, symbols and ranges. */

import { rubySprintf, SprintfError, type SprintfValues } from '../../../ruby-core/ruby-sprintf.ts';
import { compareStrings } from '../../../ruby-core/ruby-string.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import { RichValue, Sensitive, type Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyClass, type RubyRange } from '../objects.ts';
import {
  assertIndex,
  blockOf,
  byName,
  getArgument,
  type MethodCall,
  type RubyMethod,
  withoutArguments,
} from '../runtime.ts';
import {
  classOf,
  compareRubyValues,
  inspect,
  isEqual,
  isInstanceOf,
  isKnownTrue,
  type TextRules,
  toS,
} from '../text-form.ts';
import { ENUMERABLE, type ItemsMethod } from './enumerable-methods.ts';
import { enumeratorOf, RubyEnumerator } from './enumerators.ts';
import { toJson } from './json-methods.ts';
import { toYaml } from './yaml-methods.ts';

function className(value: Value): string {
  return value instanceof RubyClass ? value.name : fallBack('what is no class');
}

/** Whether nothing can change the value, so that a copy is as good as the value itself. */
function isUnchanging(value: Value): boolean {
  return !(value instanceof RichValue) || value instanceof RubySymbol || value instanceof Sensitive;
}

const isKind: RubyMethod = (self, call) => isInstanceOf(self, className(getArgument(call)));

/** By method name: the classes that have the method. */
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

/** Compares identities, where one of both is a value of which Ruby has one object. */
function isSameObject(self: Value, other: Value): boolean {
  if (self instanceof RubySymbol && other instanceof RubySymbol) return self.name === other.name;
  if (!isPlain(self) || !isPlain(other)) return fallBack('the identity of an object');
  return isOnlyObject(self) || isOnlyObject(other) ? self === other : fallBack('two objects');
}

function isOnlyObject(value: Value): boolean {
  return value === null || typeof value === 'boolean' || value instanceof RubySymbol;
}

/** Whether no symbol of Ruby can stand for the value. */
function isPlain(value: Value): boolean {
  return !(value instanceof RichValue) || value instanceof RubySymbol || value instanceof PuppetHash;
}

/** Methods that behave the same for all values. */
export const COMMON = byName<RubyMethod>({
  '==': (self, call) => isEqual(self, getArgument(call)),
  '===': (self, call) => isEqual(self, getArgument(call)),
  // Ruby 3.2 removed Object#=~.
  '=~': (self, call) => {
    getArgument(call);
    return self instanceof RichValue || call.render.isRuby40 ? fallBack('an object matched') : null;
  },
  'equal?': (self, call) => isSameObject(self, getArgument(call)),
  'nil?': withoutArguments((self) => classOf(self) === 'NilClass'),
  dup: withoutArguments((self) => (isUnchanging(self) ? self : fallBack('a copy of an object'))),
  'is_a?': isKind,
  'kind_of?': isKind,
  'instance_of?': (self, call) => classOf(self) === className(getArgument(call)),
  class: withoutArguments((self) => new RubyClass(classOf(self))),
  to_s: withoutArguments((self, { render }) => toS(self, render)),
  inspect: withoutArguments((self, { render }) => inspect(self, render)),
  '!': withoutArguments((self) => !isKnownTrue(self)),
  to_json: toJson,
  to_yaml: toYaml,
  'respond_to?': (self, call) => respondsTo(self, getArgument(call)),
  freeze: withoutArguments((self) => (typeof self === 'object' && self !== null ? fallBack('freeze') : self)),
});

export const NIL_METHODS = byName<RubyMethod>({
  to_a: withoutArguments((_, call) => call.render.markOwn([])),
  to_i: withoutArguments(() => 0n),
  to_f: withoutArguments(() => 0),
  '=~': (_, call) => {
    getArgument(call);
    return null;
  },
  '&': (_, call) => {
    getArgument(call);
    return false;
  },
  '|': (_, call) => isKnownTrue(getArgument(call)),
});

export const BOOLEAN_METHODS = byName<RubyMethod>({
  '&': (self, call) => isKnownTrue(getArgument(call)) && isKnownTrue(self),
  '|': (self, call) => isKnownTrue(getArgument(call)) || isKnownTrue(self),
  '^': (self, call) => isKnownTrue(getArgument(call)) !== isKnownTrue(self),
});

export const SYMBOL_METHODS = byName<RubyMethod<RubySymbol>>({
  to_s: withoutArguments((self) => self.name),
  to_sym: withoutArguments((self) => self),
  '<=>': (self, call) => {
    const other = getArgument(call);
    if (other instanceof RubySymbol) return BigInt(compareStrings(self.name, other.name));
    return other instanceof RichValue ? fallBack('an object compared') : null;
  },
});

/** Sensitive's own methods; all others are left to Ruby. */
export const SENSITIVE_METHODS = byName<RubyMethod<Sensitive>>({
  unwrap: withoutArguments((self) => self.unwrap()),
  'nil?': withoutArguments(() => false),
});

const RANGE_LIMIT = 10_000;

function listNumbers(self: RubyRange): bigint[] {
  const [from, to] = [assertIndex(self.from), assertIndex(self.to)];
  const length = Math.max(0, to - from + (self.excludesEnd ? 0 : 1));
  if (length > RANGE_LIMIT) fallBack('a long range');
  return Array.from({ length }, (_, at) => BigInt(from + at));
}

/** Returns the integers or the characters of a range. */
function listItems(self: RubyRange): Value[] {
  const { from, to, excludesEnd } = self;
  if (typeof from !== 'string' || typeof to !== 'string') return listNumbers(self);
  if (!CHARACTER.test(from) || !CHARACTER.test(to)) return fallBack('a range of longer texts');
  const length = to.charCodeAt(0) - from.charCodeAt(0) + (excludesEnd ? 0 : 1);
  return Array.from({ length: Math.max(0, length) }, (_, at) => String.fromCharCode(from.charCodeAt(0) + at));
}

/** A character of ASCII. */
const CHARACTER = /^[ -~]$/;

const covers: RubyMethod<RubyRange> = (self, call) => {
  const value = getArgument(call);
  if (!isNumber(self.from) || !isNumber(self.to)) return fallBack('a range of other things than numbers');
  if (!isNumber(value)) return fallBack('other things than numbers in a range');
  const low = compareRubyValues(self.from, value);
  const high = compareRubyValues(value, self.to);
  if (low === null || high === null) return false;
  return low <= 0 && (self.excludesEnd ? high < 0 : high <= 0);
};

/** Methods whose result for a range equals that for the array of its items. */
const OF_ITEMS: ReadonlySet<string> = new Set(
  `map collect flat_map collect_concat select filter find_all reject group_by find detect any? all? none? each_with_index
  each_slice each_with_object to_a entries inject reduce take drop sort sort_by`.split(/\s+/),
);
/** Methods that return the range itself when given a block. */
const SELF: ReadonlySet<string> = new Set(['each_with_index', 'each_slice', 'each_cons']);

export const RANGE_METHODS = byName<RubyMethod<RubyRange>>({
  'include?': covers,
  'member?': covers,
  '===': covers,
  each: (self, call) => {
    const block = blockOf(call);
    for (const item of listItems(self)) block.call([item]);
    return self;
  },
  first: (self, call) => {
    if (call.block) return fallBack('a block');
    if (call.args.length === 0) return BigInt(assertIndex(self.from));
    const count = assertIndex(getArgument(call));
    return count < 0 ? fallBack('a negative count') : call.render.markOwn(listNumbers(self).slice(0, count));
  },
  step: (self, call) => {
    const step = assertIndex(getArgument(call));
    if (call.block || step < 1) return fallBack('a step');
    const items = listItems(self).filter((_, at) => at % step === 0);
    return new RubyEnumerator(items, () => fallBack('a step'), 'parts');
  },
  min: withoutArguments((self) => listNumbers(self)[0] ?? null),
  max: withoutArguments((self) => listNumbers(self).at(-1) ?? null),
});

export function findRangeMethod(name: string): RubyMethod<RubyRange> | undefined {
  const own = RANGE_METHODS.get(name);
  const method = OF_ITEMS.has(name) ? ENUMERABLE.get(name) : undefined;
  const run = own ?? (method && ((self: RubyRange, call: MethodCall) => ofItems(self, name, method, call)));
  if (!run || (own && name !== 'each')) return own;
  return (self, call) =>
    call.block
      ? run(self, call)
      : (enumeratorOf(name, listItems(self), call, (made) => run(self, made)) ?? run(self, call));
}

function ofItems(self: RubyRange, name: string, method: ItemsMethod, call: MethodCall): Value {
  const result = method(listItems(self), call);
  return SELF.has(name) ? self : result;
}

function formattedBy(rules: TextRules): SprintfValues<Value> {
  return {
    toS: (value) => toS(value, rules),
    inspect: (value) => inspect(value, rules),
    className: classOf,
    getEntry: (hash, key) => (hash instanceof PuppetHash ? hash.get(new RubySymbol(key)) : null),
  };
}

/** Implements `format(...)`. */
export function formatText(format: string, args: readonly Value[], rules: TextRules): string {
  if (/%(?:<[^>]*>)?[^a-zA-Z%{<]*[aA]/.test(format)) fallBack('a float as text');
  try {
    return rubySprintf(format, args, formattedBy(rules));
  } catch (error) {
    if (error instanceof SprintfError) return fallBack(error.message);
    throw error;
  }
}

export function noBlock({ block }: MethodCall): void {
  if (block) fallBack('a block');
}
