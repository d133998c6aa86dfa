/** Methods that change an array or hash according to a block, and methods that copy them. */
import { isFrozen } from '../../../types/values/frozen.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import {
  assertIndex,
  BreakJump,
  blockOf,
  byName,
  type MethodCall,
  ReturnJump,
  type RubyMethod,
  withoutArguments,
} from '../runtime.ts';
import { isKnownTrue } from '../text-form.ts';
import { sortArray } from './enumerable-methods.ts';

type Items = readonly Value[];
type Pair = readonly [Value, Value];

/** Implements `dig`: follows the steps; nil when one leads nowhere. */
export function digIn(self: Value, { args, block }: MethodCall): Value {
  if (args.length === 0 || block) return fallBack('arguments');
  let found: Value = self;
  for (const key of args) {
    if (Array.isArray(found)) found = found.at(assertIndex(key)) ?? null;
    else if (found instanceof PuppetHash && typeof key !== 'number') found = found.get(key) ?? null;
    else if (found !== null) return fallBack('dig of what is no container');
  }
  return found;
}

/**
 * Calls the block for all items before any change. After an early exit from the block, the partial
 * change is left to Ruby.
 */
function askBlock<T>(container: object, { render }: MethodCall, ask: () => T): T {
  try {
    return render.walk(container, ask);
  } catch (error) {
    if (error instanceof BreakJump || error instanceof ReturnJump) return fallBack('a change that is left early');
    throw error;
  }
}

const mapInPlace = makeChange((self, call) => {
  const block = blockOf(call);
  return askBlock(self, call, () => self.map((item) => block.call([item])));
});

/** Implements `delete_if` and `reject!`. */
function rejectItems(self: Items, call: MethodCall): Items {
  const block = blockOf(call);
  return askBlock(self, call, () => self.filter((item) => !isKnownTrue(block.call([item]))));
}

/** `change` returns the new items; it checks the arguments. */
function makeChange(change: (self: Items, call: MethodCall) => Items, answersNil = false): RubyMethod<Items> {
  return (self, call) => {
    const values = change(self, call);
    const array = call.render.assertChangeable(self);
    if (answersNil && values.length === array.length && values.every((value, at) => value === array[at])) return null;
    array.splice(0, array.length, ...values);
    return array;
  };
}

function flattenItems(items: Items): Value[] {
  return items.flatMap((item): Items => (Array.isArray(item) ? flattenItems(item) : [item]));
}

const copyArray: RubyMethod<Items> = withoutArguments((self, call) => call.render.markOwn([...self]));

export const ARRAY_CHANGES = byName<RubyMethod<Items>>({
  dup: copyArray,
  clone: (self, call) => (Object.isFrozen(self) ? fallBack('a frozen copy') : copyArray(self, call)),
  'collect!': mapInPlace,
  'map!': mapInPlace,
  delete_if: makeChange(rejectItems),
  'reject!': makeChange(rejectItems, true),
  'flatten!': makeChange(withoutArguments(flattenItems), true),
  'sort!': makeChange((self, call) => askBlock(self, call, () => sortArray(self, call))),
  delete_at: (self, call) => {
    const at = assertIndex(call.args[0]);
    if (call.args.length !== 1 || call.block) return fallBack('arguments');
    const array = call.render.assertChangeable(self);
    const found = array.at(at);
    if (found !== undefined) array.splice(at, 1);
    return found ?? null;
  },
});

function listPairs(self: PuppetHash): Pair[] {
  return Array.from(self.entries(), ([key, value]) => [key, value] as const);
}

function makeHashFilter(wanted: boolean, answersNil: boolean): RubyMethod<PuppetHash> {
  return (self, call) => {
    const block = blockOf(call);
    const isKept = (pair: Pair) => isKnownTrue(block.call(pair)) === wanted;
    const entries = askBlock(self, call, () => listPairs(self).filter(isKept));
    const hash = call.render.changeableHash(self);
    if (entries.length === hash.size) return answersNil ? null : hash;
    hash.replaceEntries(entries);
    return hash;
  };
}

const mergeInPlace: RubyMethod<PuppetHash> = (self, { render, args, block }) => {
  if (block) return fallBack('a block');
  const others = args.map((arg) => (arg instanceof PuppetHash ? listPairs(arg) : fallBack('what is no hash')));
  const hash = render.changeableHash(self);
  for (const [key, value] of others.flat()) hash.set(key, value);
  return hash;
};

const copyHash: RubyMethod<PuppetHash> = withoutArguments((self, call) => call.render.markOwn(self.copy()));

export const HASH_CHANGES = byName<RubyMethod<PuppetHash>>({
  dup: copyHash,
  clone: (self, call) => (isFrozen(self) ? fallBack('a frozen copy') : copyHash(self, call)),
  'merge!': mergeInPlace,
  update: mergeInPlace,
  'reject!': makeHashFilter(false, true),
  delete_if: makeHashFilter(false, false),
  transform_keys: (self, call) => {
    const block = blockOf(call);
    const entries = call.render.walk(self, () =>
      listPairs(self).map(([key, value]): Pair => [block.call([key]), value]),
    );
    if (entries.some(([key]) => typeof key === 'number')) return fallBack('a float as key');
    return call.render.markOwn(PuppetHash.of(entries));
  },
});
