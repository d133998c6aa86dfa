import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import {
  type Block,
  blockOf,
  byName,
  getArgument,
  type MethodCall,
  type RubyMethod,
  withoutArguments,
} from '../runtime.ts';
import { inspect, isKnownTrue } from '../text-form.ts';
import { digIn, HASH_CHANGES } from './container-changes.ts';
import { ENUMERABLE, type Items, toHash } from './enumerable-methods.ts';
import { enumeratorOf } from './enumerators.ts';

type HashMethod = RubyMethod<PuppetHash>;
type Pair = readonly [Value, Value];

function listPairs(self: PuppetHash): Pair[] {
  return Array.from(self.entries());
}

/**
 * Returns the entries that the block accepts as a hash. A block receives key and value as two
 * arguments.
 */
function selectEntries(self: PuppetHash, { render, args, block }: MethodCall, wanted: boolean): PuppetHash {
  if (!block || args.length > 0) return fallBack('no block');
  return render.walk(self, () =>
    render.markOwn(PuppetHash.of(listPairs(self).filter((pair) => isKnownTrue(block.call(pair)) === wanted))),
  );
}

function visitEntries(self: PuppetHash, call: MethodCall): PuppetHash {
  const block = blockOf(call);
  call.render.walk(self, () => {
    for (const pair of listPairs(self)) block.call([pair]);
  });
  return self;
}

function fetch(self: PuppetHash, { args, block }: MethodCall): Value {
  const [key = null, otherwise] = args;
  if (args.length === 0 || args.length > 2 || (block && args.length === 2)) fallBack('arguments');
  const found = self.get(plainKey(key));
  if (found !== undefined) return found;
  if (block) return block.call([key]);
  return otherwise === undefined ? fallBack('no such key') : otherwise;
}

/** Checks that equality of the key with other keys is known. */
function plainKey(key: Value): Value {
  if (typeof key === 'number') fallBack('a float as key');
  return key;
}

function has(self: PuppetHash, call: MethodCall): boolean {
  noBlock(call);
  return self.has(plainKey(getArgument(call)));
}

function noBlock({ block }: MethodCall): void {
  if (block) fallBack('a block');
}

function assertHash(value: Value): PuppetHash {
  return value instanceof PuppetHash ? value : fallBack('what is no hash');
}

function withBlock(method: (self: PuppetHash, block: Block, call: MethodCall) => Value): HashMethod {
  return (self, call) => call.render.walk(self, () => method(self, blockOf(call), call));
}

function store(self: PuppetHash, { render, args, block }: MethodCall): Value {
  const [key = null, value = null] = args;
  if (args.length !== 2 || block) fallBack('arguments');
  if (typeof key === 'object' && (Array.isArray(key) || key instanceof PuppetHash)) fallBack('a container as key');
  render.changeableHash(self).set(plainKey(key), value);
  return value;
}

const select: HashMethod = (self, call) => selectEntries(self, call, true);
const size: HashMethod = withoutArguments((self) => BigInt(self.size));
const shown: HashMethod = withoutArguments((self, { render }) => inspect(self, render));

export const HASH_METHODS = byName<HashMethod>({
  '[]': (self, call) => {
    noBlock(call);
    return self.get(plainKey(getArgument(call))) ?? null;
  },
  '[]=': store,
  store,
  delete: (self, call) => {
    noBlock(call);
    const key = plainKey(getArgument(call));
    const found = self.get(key);
    call.render.changeableHash(self).delete(key);
    return found ?? null;
  },
  fetch,
  dig: digIn,
  'key?': has,
  'has_key?': has,
  'include?': has,
  'member?': has,
  keys: withoutArguments((self, { render }) => render.markOwn([...self.keys()])),
  values: withoutArguments((self, { render }) => render.markOwn([...self.values()])),
  values_at: (self, { render, args }) => render.markOwn(args.map((key) => self.get(plainKey(key)) ?? null)),
  length: size,
  size,
  'empty?': withoutArguments((self) => self.size === 0),
  each: visitEntries,
  each_pair: visitEntries,
  select,
  filter: select,
  reject: (self, call) => selectEntries(self, call, false),
  to_s: shown,
  inspect: shown,
  to_hash: withoutArguments((self) => self),
  to_h: (self, { render, args, block }) => {
    if (args.length > 0) return fallBack('arguments');
    return block
      ? render.walk(self, () =>
          toHash(
            listPairs(self).map((pair) => block.call(pair)),
            render,
          ),
        )
      : self;
  },
  merge: (self, { render, args, block }) => {
    if (block) fallBack('a block');
    return render.markOwn(PuppetHash.of([self, ...args.map(assertHash)].flatMap(listPairs)));
  },
  compact: withoutArguments((self, { render }) =>
    render.markOwn(PuppetHash.of(listPairs(self).filter(([, value]) => value !== null))),
  ),
  transform_values: withBlock((self, block, { render }) =>
    render.markOwn(PuppetHash.of(listPairs(self).map(([key, value]) => [key, block.call([value])] as const))),
  ),
  map: withBlock((self, block, { render }) => render.markOwn(listPairs(self).map((pair) => block.call([pair])))),
});

/** Enumerable methods whose blocks get different arguments for a hash, or that are rarely used. */
const LEFT_TO_RUBY: ReadonlySet<string> = new Set(['min', 'max', 'include?', 'member?']);
const SELF: ReadonlySet<string> = new Set(['each_with_index', 'each_slice']);
/** Methods whose blocks receive each pair as one argument. */
const ENUMERATED: ReadonlySet<string> = new Set(['each', 'map', 'each_with_index', 'each_slice']);

export function findHashMethod(name: string): HashMethod | undefined {
  const own = HASH_CHANGES.get(name) ?? HASH_METHODS.get(name);
  if (own)
    return !ENUMERATED.has(name)
      ? own
      : (self, call) => enumeratorOf(name, listPairs(self), call, (made) => own(self, made)) ?? own(self, call);
  const method = LEFT_TO_RUBY.has(name) ? undefined : ENUMERABLE.get(name);
  if (!method) return undefined;
  return (self, call) => {
    const items: Items = listPairs(self);
    const run = (made: MethodCall): Value => {
      const result = call.render.walk(self, () => method(items, made));
      return SELF.has(name) ? self : result;
    };
    return (ENUMERATED.has(name) && enumeratorOf(name, items, call, run)) || run(call);
  };
}
