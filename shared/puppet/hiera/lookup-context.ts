import { RubyFault } from '../errors/lookup-error.ts';
import type { Callable, MethodReceiver } from '../evaluator/ports.ts';
import { RubySymbol } from '../serialization/yaml.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { LOOKUP_CONTEXT } from '../types/objects/standard-objects.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { readDataFile } from './data-files.ts';
import { interpolate } from './interpolation.ts';
import type { Invocation } from './invocation.ts';
import type { OpenKeyedFile } from './keyed-file.ts';
import { rubyText } from './ruby-text.ts';

/** Thrown by `$context.not_found`: the key has no value. A stack would cost more than the call. */
export class NoSuchKey extends Error {
  constructor() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super('no such key');
    Error.stackTraceLimit = limit;
  }
}

/**
 * State shared by the calls of one data function for one location: their cache, and their results.
 */
export class LocationState {
  readonly cache = new PuppetHash();
  /** Values by key, or the whole hash of a data_hash function. */
  readonly values = new Map<string, Value | undefined>();
  data: PuppetHash | null = null;
  /** The file of `data` when it is read by key; null when the whole file is an input. */
  keyed: OpenKeyedFile | null = null;
  /** By path: files that are read by key; null for one that is read as a whole. */
  readonly keyedFiles = new Map<string, OpenKeyedFile | null>();
}

type Method = (self: LookupContext, args: readonly Value[], block: Callable | null) => Value;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['not_found', () => notFound()],
  ['explain', (self, _, block) => explain(self, block)],
  ['interpolate', (self, [value = null]) => self.interpolate(value)],
  ['cache', ({ state }, [key = null, value = null]) => cacheValue(state.cache, key, value)],
  ['cache_all', ({ state }, [hash]) => cacheAll(state.cache, hash)],
  ['cache_has_key', ({ state }, [key = null]) => state.cache.has(key)],
  ['cached_value', ({ state }, [key = null]) => state.cache.get(key) ?? null],
  ['cached_entries', ({ state }, _, block) => callCachedEntries(state.cache, block)],
  [
    'cached_file_data',
    (self, [path = null], block) => self.fileData(String(path), block && ((text) => block.call(text))),
  ],
]);

/**
 * The `Puppet::LookupContext` passed to a data function. Each call gets a new one. Follows
 * lib/puppet/pops/lookup/context.rb.
 */
export class LookupContext extends PuppetObject implements MethodReceiver {
  readonly invocation: Invocation;
  readonly state: LocationState;
  /** The module whose data the function gives; null outside of modules. */
  readonly moduleName: string | null;

  constructor(invocation: Invocation, state: LocationState, moduleName: string | null) {
    const attributes = new Map<string, Value>([
      ['environment_name', new RubySymbol(invocation.scope.context.environment.name)],
      ['module_name', moduleName],
    ]);
    super(LOOKUP_CONTEXT, attributes);
    this.invocation = invocation;
    this.state = state;
    this.moduleName = moduleName;
  }

  hasMethod(name: string): boolean {
    return METHODS.has(name);
  }

  callMethod(name: string, args: readonly Value[], block: Callable | null): Value {
    const method = METHODS.get(name);
    // Ruby: NoMethodError
    if (!method) throw new RubyFault(`undefined method \`${name}' for Puppet::LookupContext`);
    return method(this, args, block);
  }

  interpolate(value: Value): Value {
    return interpolate(value, this.invocation, true);
  }

  /**
   * Returns `block`'s result for a file's text, or the text itself. The result is cached until the
   * file changes.
   */
  fileData(path: string, block: ((text: string) => Value) | null): Value {
    const { session } = this.invocation;
    if (!block) return readDataFile('text', path, session, (text) => text);
    // The result of a block may depend on the compile, so it is cached for this compile only.
    return readDataFile('block', path, { context: session.context, cache: session.ownCache }, (text) => block(text));
  }
}

function explain({ invocation }: LookupContext, block: Callable | null): null {
  const { explainer } = invocation;
  if (explainer && block) explainer.noteText(rubyText(block.call()));
  return null;
}

function notFound(): never {
  throw new NoSuchKey();
}

function cacheValue(cache: PuppetHash, key: Value, value: Value): Value {
  cache.set(key, value);
  return value;
}

function cacheAll(cache: PuppetHash, hash: Value | undefined): null {
  if (hash instanceof PuppetHash) for (const [key, value] of hash.entries()) cache.set(key, value);
  return null;
}

function callCachedEntries(cache: PuppetHash, block: Callable | null): Value {
  const entries = [...cache.entries()].map(([key, value]): readonly Value[] => [key, value]);
  if (!block) return entries;
  for (const entry of entries) {
    if (block.arity[1] >= 2) block.call(...entry);
    else block.call(entry);
  }
  return null;
}
