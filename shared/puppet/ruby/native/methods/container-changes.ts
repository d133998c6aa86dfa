/** Methods that change an array or a hash by what a block says, and copies of them. */
import { isFrozen } from '../../../types/values/frozen.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import {
  type Block,
  BreakJump,
  blockOf,
  index,
  type MethodCall,
  noArguments,
  ReturnJump,
  type RubyMethod,
} from '../runtime.ts';
import { compare, isTruthy } from '../text-form.ts';
import { sorted } from './enumerable-methods.ts';

type Items = readonly Value[];
type Pair = readonly [Value, Value];

/** `dig`: what is there step by step, nil where a step leads nowhere. */
export function dig(self: Value, { args, block }: MethodCall): Value {
  if (args.length === 0 || block) return fallBack('arguments');
  let found: Value = self;
  for (const key of args) {
    if (Array.isArray(found)) found = found.at(index(key)) ?? null;
    else if (found instanceof PuppetHash && typeof key !== 'number') found = found.get(key) ?? null;
    else if (found !== null) return fallBack('dig of what is no container');
  }
  return found;
}

/** Asks the block for all before anything is changed. A block that is left early leaves what it changed until then, to Ruby. */
function asked<T>(container: object, { render }: MethodCall, ask: () => T): T {
  try {
    return render.walk(container, ask);
  } catch (error) {
    if (error instanceof BreakJump || error instanceof ReturnJump) return fallBack('a change that is left early');
    throw error;
  }
}

/** `answersNil`: whether it gives nil where nothing was changed. */
function filtered(wanted: boolean, answersNil: boolean): RubyMethod<Items> {
  return (self, call) => {
    const block = blockOf(call);
    const kept = asked(self, call, () => self.filter((item) => isTruthy(block.call([item])) === wanted));
    const array = call.render.changeable(self);
    if (kept.length === array.length) return answersNil ? null : array;
    array.splice(0, array.length, ...kept);
    return array;
  };
}

function mapped(self: Items, call: MethodCall): Value {
  const block = blockOf(call);
  const values = asked(self, call, () => self.map((item) => block.call([item])));
  const array = call.render.changeable(self);
  array.splice(0, array.length, ...values);
  return array;
}

function changed(change: (self: Items, call: MethodCall) => Items, answersNil = false): RubyMethod<Items> {
  return (self, call) => {
    noArguments(call);
    const values = change(self, call);
    const array = call.render.changeable(self);
    if (answersNil && values.length === array.length && values.every((value, at) => value === array[at])) return null;
    array.splice(0, array.length, ...values);
    return array;
  };
}

function flat(items: Items): Value[] {
  return items.flatMap((item): Items => (Array.isArray(item) ? flat(item) : [item]));
}

const copied: RubyMethod<Items> = (self, call) => {
  noArguments(call);
  return call.render.own([...self]);
};

export const ARRAY_CHANGES: ReadonlyMap<string, RubyMethod<Items>> = new Map<string, RubyMethod<Items>>([
  ['dup', copied],
  ['clone', (self, call) => (Object.isFrozen(self) ? fallBack('a frozen copy') : copied(self, call))],
  ['reject!', filtered(false, true)],
  ['delete_if', filtered(false, false)],
  ['select!', filtered(true, true)],
  ['filter!', filtered(true, true)],
  ['keep_if', filtered(true, false)],
  ['map!', mapped],
  ['collect!', mapped],
  ['flatten!', changed(flat, true)],
  ['reverse!', changed((self) => self.toReversed())],
  ['sort!', changed((self) => sorted(self, compare))],
  ['clear', changed(() => [])],
  [
    'delete_at',
    (self, call) => {
      const at = index(call.args[0]);
      if (call.args.length !== 1 || call.block) return fallBack('arguments');
      const array = call.render.changeable(self);
      const found = array.at(at);
      if (found === undefined) return null;
      array.splice(at, 1);
      return found;
    },
  ],
  [
    'insert',
    (self, call) => {
      const [at, ...values] = call.args;
      const position = index(at);
      if (position < 0 || position > self.length || values.length === 0 || call.block) return fallBack('arguments');
      const array = call.render.changeable(self);
      array.splice(position, 0, ...values);
      return array;
    },
  ],
]);

function pairs(self: PuppetHash): Pair[] {
  return Array.from(self.entries(), ([key, value]) => [key, value] as const);
}

function kept(self: PuppetHash, block: Block, call: MethodCall, wanted: boolean): Pair[] {
  return asked(self, call, () => pairs(self).filter((pair) => isTruthy(block.call(pair)) === wanted));
}

function filteredHash(wanted: boolean, answersNil: boolean): RubyMethod<PuppetHash> {
  return (self, call) => {
    const entries = kept(self, blockOf(call), call, wanted);
    const hash = call.render.changeableHash(self);
    if (entries.length === hash.size) return answersNil ? null : hash;
    hash.replaceEntries(entries);
    return hash;
  };
}

const merged: RubyMethod<PuppetHash> = (self, { render, args, block }) => {
  if (block) return fallBack('a block');
  const others = args.map((arg) => (arg instanceof PuppetHash ? pairs(arg) : fallBack('what is no hash')));
  const hash = render.changeableHash(self);
  for (const [key, value] of others.flat()) hash.set(key, value);
  return hash;
};

const copiedHash: RubyMethod<PuppetHash> = (self, call) => {
  noArguments(call);
  return call.render.own(PuppetHash.of(pairs(self)));
};

function chosenKeys(wanted: boolean): RubyMethod<PuppetHash> {
  return (self, { render, args, block }) => {
    if (block || args.some((key) => typeof key === 'object' || typeof key === 'number')) return fallBack('arguments');
    const entries = wanted
      ? args.filter((key) => self.has(key)).map((key): Pair => [key, self.get(key) ?? null])
      : pairs(self).filter(([key]) => !args.includes(key));
    return render.own(PuppetHash.of(entries));
  };
}

export const HASH_CHANGES: ReadonlyMap<string, RubyMethod<PuppetHash>> = new Map<string, RubyMethod<PuppetHash>>([
  ['dup', copiedHash],
  ['clone', (self, call) => (isFrozen(self) ? fallBack('a frozen copy') : copiedHash(self, call))],
  ['merge!', merged],
  ['update', merged],
  ['reject!', filteredHash(false, true)],
  ['delete_if', filteredHash(false, false)],
  ['select!', filteredHash(true, true)],
  ['filter!', filteredHash(true, true)],
  ['keep_if', filteredHash(true, false)],
  ['slice', chosenKeys(true)],
  ['except', chosenKeys(false)],
  [
    'clear',
    (self, call) => {
      noArguments(call);
      const hash = call.render.changeableHash(self);
      hash.replaceEntries([]);
      return hash;
    },
  ],
  [
    'transform_keys',
    (self, call) => {
      const block = blockOf(call);
      const entries = call.render.walk(self, () => pairs(self).map(([key, value]): Pair => [block.call([key]), value]));
      if (entries.some(([key]) => typeof key === 'number')) return fallBack('a float as key');
      return call.render.own(PuppetHash.of(entries));
    },
  ],
]);
