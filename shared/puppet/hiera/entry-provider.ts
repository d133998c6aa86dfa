import { ISSUES } from '../errors/issues/catalogue.ts';
import { RaisedError, RubyFault } from '../errors/lookup-error.ts';
import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import type { PuppetFunction } from '../evaluator/ports.ts';
import { assertAssignable, assertInstance } from '../types/assertion.ts';
import { CallableType } from '../types/callable-type.ts';
import { RICH_DATA } from '../types/data-types.ts';
import { infer } from '../types/inference.ts';
import { parseType } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { DATA_FUNCTIONS, loadFunction } from './data-functions.ts';
import type { Explainer } from './explainer.ts';
import type { HieraConfig } from './hiera-config.ts';
import { interpolate } from './interpolation.ts';
import type { Invocation } from './invocation.ts';
import { openKeyedFile } from './keyed-file.ts';
import type { DataLayer } from './layer.ts';
import { type Location, resolvePaths } from './locations.ts';
import { LocationState, LookupContext, NoSuchKey } from './lookup-context.ts';
import { digSegments, type LookupKey } from './lookup-key.ts';
import type { MergeStrategy } from './merge-strategy.ts';

/** The calling convention of a hierarchy entry's function. */
export type FunctionKind =
  | 'data_hash'
  | 'lookup_key'
  | 'data_dig'
  | 'hiera3_backend'
  | 'v3_data_hash'
  | 'v3_lookup_key'
  | 'v4_data_hash';

interface EntryOptions {
  readonly name: string;
  readonly kind: FunctionKind;
  readonly functionName: string;
  readonly options: PuppetHash;
  /** null: the function is called without a location. */
  readonly locations: readonly Location[] | null;
  readonly layer: DataLayer;
  readonly config: HieraConfig;
  /** Folder that resolves the location overrides of a call. Hiera 3 only. */
  readonly folder?: string;
}

/** A hierarchy entry: a data function and the locations that it reads. */
export interface EntryProvider {
  /** Whether the entry has at least one location to read data from. */
  readonly hasLocation: boolean;
  /** Returns the value of the root of `key`; undefined when the entry has none. */
  lookup(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined;
}

export function createEntryProvider(options: EntryOptions): EntryProvider {
  switch (options.kind) {
    case 'lookup_key':
    case 'v3_lookup_key':
      return new LookupKeyProvider(options);
    case 'data_dig':
      return new DataDigProvider(options);
    case 'hiera3_backend':
      // A custom backend is Ruby code. It is treated like a backend that Ruby cannot load: no
      // value.
      return { hasLocation: false, lookup: () => undefined };
    default:
      return new DataHashProvider(options);
  }
}

const NO_LOCATION: readonly null[] = [null];

/** Follows lib/puppet/pops/lookup/function_provider.rb. */
abstract class FunctionProvider implements EntryProvider {
  protected readonly entry: EntryOptions;
  readonly #states = new Map<Location | null, LocationState>();
  #function: PuppetFunction | undefined;
  #isChecked = false;

  constructor(entry: EntryOptions) {
    this.entry = entry;
  }

  lookup(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    if (invocation.explainer) return this.#lookupExplained(key, invocation, strategy, invocation.explainer);
    const locations = this.#expandLocations(invocation);
    return strategy.takesFirst
      ? this.#lookupFirst(locations, key, invocation)
      : this.#lookupMerged(locations, key, invocation, strategy);
  }

  #lookupMerged(
    locations: readonly (Location | null)[],
    key: LookupKey,
    invocation: Invocation,
    strategy: MergeStrategy,
  ): Value | undefined {
    return strategy.lookup<Location | null>(
      locations,
      (location) => (location && !location.exists ? undefined : this.lookupIn(location, key, invocation)),
      null,
    );
  }

  // A plain loop: this path runs for each lookup and avoids an iterator.
  #lookupFirst(locations: readonly (Location | null)[], key: LookupKey, invocation: Invocation): Value | undefined {
    for (let place = 0; place < locations.length; place += 1) {
      const location = locations[place] ?? null;
      if (location && !location.exists) continue;
      const value = this.lookupIn(location, key, invocation);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  get hasLocation(): boolean {
    const { locations } = this.entry;
    return locations === null || locations.some((location) => location.exists);
  }

  get explainedName(): string {
    const { kind, functionName, name } = this.entry;
    return kind === 'v4_data_hash' ? `Deprecated API function "${functionName}"` : `Hierarchy entry "${name}"`;
  }

  #lookupExplained(
    key: LookupKey,
    invocation: Invocation,
    strategy: MergeStrategy,
    explainer: Explainer,
  ): Value | undefined {
    const look = (location: Location | null) => {
      const value = this.lookupIn(location, key, invocation);
      this.explainFound(key, value, explainer);
      return value;
    };
    return explainer.runWithin({ kind: 'data_provider', provider: this }, () =>
      strategy.lookup<Location | null>(
        this.#expandLocations(invocation),
        (location) => {
          if (location === null) return look(null);
          return explainer.runWithin({ kind: 'location', location }, () => {
            if (location.exists) return look(location);
            explainer.locationNotFound();
            return undefined;
          });
        },
        explainer,
      ),
    );
  }

  protected explainFound(key: LookupKey, value: Value | undefined, explainer: Explainer): void {
    if (value === undefined) explainer.notFound(key.rootKey);
    else explainer.noteFound(key.rootKey, value);
  }

  protected abstract lookupIn(location: Location | null, key: LookupKey, invocation: Invocation): Value | undefined;

  /** A function that declares this return type is trusted; its results are not checked. */
  protected abstract readonly trustedReturnType: string;

  protected get label(): string {
    const { kind, functionName } = this.entry;
    return kind === 'v4_data_hash' ? `deprecated API function '${functionName}'` : `${kind} function '${functionName}'`;
  }

  #expandLocations(invocation: Invocation): readonly (Location | null)[] {
    const { locations, folder, kind, name } = this.entry;
    const own = locations ?? NO_LOCATION;
    if (invocation.locationOverrides.length === 0 || !kind.startsWith('v3_') || folder === undefined) return own;
    return [...resolvePaths(folder, invocation.locationOverrides, invocation, `.${name}`), ...own];
  }

  protected getState(location: Location | null): LocationState {
    const known = this.#states.get(location);
    if (known) return known;
    const state = new LocationState();
    this.#states.set(location, state);
    return state;
  }

  /** Calls the function; returns undefined when the function reports that it has no value. */
  protected call(args: readonly Value[], location: Location | null, invocation: Invocation): Value | undefined {
    const { scope } = invocation;
    const context = new LookupContext(invocation, this.getState(location), this.entry.layer.moduleName);
    const all = this.entry.kind === 'v4_data_hash' ? [] : [...args, this.#buildOptions(location), context];
    const found = this.#load(invocation);
    try {
      return found.call({ context: scope.context, scope, node: null }, all, null);
    } catch (error) {
      if (error instanceof NoSuchKey || isThrown(error)) return undefined;
      if (!(error instanceof PuppetError) || error instanceof PreformattedError || hasPlace(error)) throw error;
      if (error instanceof RaisedError) throw error;
      throw error instanceof RubyFault ? error : new RubyFault(error.basic, { cause: error });
    }
  }

  #buildOptions(location: Location | null): PuppetHash {
    const { options } = this.entry;
    return location ? options.merge(PuppetHash.of([[location.kind, location.place]])) : options;
  }

  #load(invocation: Invocation): PuppetFunction {
    this.#function ??= this.#find(invocation);
    return this.#function;
  }

  #find(invocation: Invocation): PuppetFunction {
    const { kind, functionName, config } = this.entry;
    const found = DATA_FUNCTIONS.get(functionName) ?? loadFunction(invocation, functionName);
    if (found === null) {
      assertModuleIsThere(functionName, invocation);
      const shown = kind.replace(/^v3_(data_hash|lookup_key)$/, '$1');
      return config.fail(ISSUES.HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND({ type: shown, name: functionName }));
    }
    const results = found.getSignatures().map((type) => (type instanceof CallableType ? type.returns : null));
    for (const type of results) {
      if (type === null) continue;
      assertAssignable(
        `Return type of '${kind}' function named '${functionName}'`,
        parseType(this.trustedReturnType),
        type,
      );
    }
    this.#isChecked = results.every((type) => type !== null);
    return found;
  }

  /**
   * Returns `value` if data may contain it; throws otherwise. `how` describes its origin in the
   * error.
   */
  protected checkValue(value: Value, key: string, how: string, location: Location | null): Value {
    if (this.#isChecked || isPlain(value) || RICH_DATA.isInstance(value)) return value;
    const what = `Value for key '${key}', ${how} ${this.label}`;
    const where = location ? `${what}, when using location '${location.place}',` : what;
    throw new RaisedError(ISSUES.LOOKUP_VALUE_TYPE({ where, actual: String(infer(value)) }));
  }
}

/** Whether Ruby code itself threw `:no_such_key`, as `$context.not_found` does. */
function isThrown(error: unknown): boolean {
  return error instanceof PuppetError && error.basic === 'uncaught throw :no_such_key';
}

function hasPlace(error: PuppetError): boolean {
  return error.location.line !== undefined || error.location.file !== undefined || error.issueCode !== undefined;
}

function isPlain(value: Value): boolean {
  return value === null || typeof value !== 'object';
}

class DataHashProvider extends FunctionProvider {
  protected readonly trustedReturnType = 'Hash[RichDataKey,RichData]';

  protected lookupIn(location: Location | null, key: LookupKey, invocation: Invocation): Value | undefined {
    const { rootKey } = key;
    const state = this.getState(location);
    const data = state.data ?? this.#readData(location, invocation);
    if (state.keyed) invocation.session.recordRead(rootKey, state.keyed, this.entry.layer.moduleName);
    const value = data?.get(rootKey);
    if (value === undefined) return undefined;
    return interpolate(this.checkValue(value, rootKey, 'in hash returned from', location), invocation, true);
  }

  #readData(location: Location | null, invocation: Invocation): PuppetHash | null {
    const state = this.getState(location);
    const found = this.#openKeyed(location, invocation) ?? this.call([], location, invocation);
    if (found === undefined) return null;
    const label = () => {
      const from = `Value returned from ${this.label}`;
      return location ? `${from}, when using location '${location.place}',` : from;
    };
    const data = found instanceof PuppetHash ? found : assertInstance(label(), parseType('Hash'), found);
    if (data instanceof PuppetHash) state.data = this.entry.layer.checkData(data, label, invocation);
    return state.data;
  }

  /**
   * The data of a file that only Puppet's own data function reads: each key is an input of its own.
   * Null when the function has to be called.
   */
  #openKeyed(location: Location | null, { session }: Invocation): PuppetHash | null {
    const { functionName, options } = this.entry;
    if (location?.kind !== 'path' || options.size > 0) return null;
    const file = openKeyedFile(location.place, functionName, session.context.environment, session.cache);
    if (!file) return null;
    this.getState(location).keyed = file;
    return file.data;
  }
}

/** Caches values by key. */
abstract class KeyedProvider extends FunctionProvider {
  protected readonly trustedReturnType = 'RichData';

  protected lookupOnce(
    key: string,
    argument: Value,
    location: Location | null,
    invocation: Invocation,
  ): Value | undefined {
    const { values } = this.getState(location);
    if (values.has(key)) return values.get(key);
    const value = this.call([argument], location, invocation);
    if (value === undefined) return undefined;
    const checked = this.checkValue(value, key, 'returned from', location);
    values.set(key, checked);
    return checked;
  }
}

class LookupKeyProvider extends KeyedProvider {
  protected lookupIn(location: Location | null, key: LookupKey, invocation: Invocation): Value | undefined {
    return this.lookupOnce(key.rootKey, key.rootKey, location, invocation);
  }
}

class DataDigProvider extends KeyedProvider {
  protected lookupIn(location: Location | null, key: LookupKey, invocation: Invocation): Value | undefined {
    const value = this.lookupOnce(key.text, [key.rootKey, ...key.segments], location, invocation);
    return value === undefined ? undefined : key.undig(value);
  }

  protected override explainFound(key: LookupKey, value: Value | undefined, explainer: Explainer): void {
    const found = value === undefined ? undefined : digSegments(key.text, key.segments, value, null);
    if (found === undefined) explainer.notFound(key);
    else explainer.noteFound(key, found);
  }
}

/**
 * Throws Ruby's error for a function in the namespace of a module that does not exist. Puppet: the
 * loader of such a module is nil, FunctionProvider#load_function in
 * lib/puppet/pops/lookup/function_provider.rb
 */
function assertModuleIsThere(name: string, { scope: { context } }: Invocation): void {
  const [module = '', ...rest] = name.split('::');
  if (rest.length === 0 || module === 'environment' || context.environment.findModule(module) !== null) return;
  // Ruby: NoMethodError
  throw new RubyFault(context.language.ruby40 ? "undefined method 'load_typed' for nil" : NO_LOADER);
}

/** Ruby: lib/error_highlight */
const NO_LOADER = `undefined method \`load_typed' for nil:NilClass

    te = loader.load_typed(typed_name)
               ^^^^^^^^^^^`;
