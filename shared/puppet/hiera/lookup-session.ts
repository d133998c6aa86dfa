import type { KeyReads } from '../environment/key-reads.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RaisedError } from '../errors/lookup-error.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import type { Scope } from '../evaluator/scope.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { convertResult } from './convert-result.ts';
import type { Explainer } from './explainer.ts';
import { HieraCache } from './hiera-cache.ts';
import { Invocation } from './invocation.ts';
import type { OpenKeyedFile } from './keyed-file.ts';
import type { DataLayer } from './layer.ts';
import { LayerSet } from './layer-set.ts';
import { type KeySegment, LOOKUP_OPTIONS, LookupKey, splitKey } from './lookup-key.ts';
import { LookupOptions, nameOptionsOf, optionsFor } from './lookup-options.ts';
import { HASH_MERGE, type MergeStrategy, mergeStrategy } from './merge-strategy.ts';
import { ScopeVariables, type Variables } from './variables.ts';

const OPTIONS_KEY = new LookupKey(LOOKUP_OPTIONS);

/**
 * All lookups of one compile: the data layers, their lookup_options, and the current invocation.
 * `undefined` means that no layer has the key. Follows lib/puppet/pops/lookup/lookup_adapter.rb.
 */
export class LookupSession {
  readonly context: CompileContext;
  readonly cache: HieraCache;
  readonly layers: LayerSet;
  current: Invocation | null = null;
  /** The text of the last `%{...}`. */
  lastExpression = '';
  #ownCache: HieraCache | null = null;
  #scopeVariables: ScopeVariables | null = null;
  readonly #variables = new Map<string, VariableName>();
  readonly #options = new Map<string | null, LookupOptions | null>();
  readonly #moduleDefaultOptions = new Map<string, LookupOptions | null>();
  /** The files whose lookup_options count, with the module whose data they are. */
  readonly #optionSources = new Map<KeyReads, string | null>();
  #globalOptions: PuppetHash | null | undefined;
  #environmentOptions: PuppetHash | null | undefined;

  constructor(context: CompileContext, cache: HieraCache) {
    this.context = context;
    this.cache = cache;
    this.layers = new LayerSet(this);
  }

  /** Like `cache`, for results that depend on this compile. Most compiles have none. */
  get ownCache(): HieraCache {
    this.#ownCache ??= new HieraCache();
    return this.#ownCache;
  }

  /**
   * Returns the value of the first of `names` that has one, from the overrides, the data, or the
   * defaults. `check` may reject the value that its first argument describes.
   */
  search(names: readonly string[], merge: Value, invocation: Invocation, check: Check = skipCheck): Value | undefined {
    const { overrides, defaults } = invocation;
    for (const name of names) {
      const override = overrides.get(name);
      const value =
        override === undefined
          ? this.lookup(name, merge, invocation)
          : check(`Value found for key '${name}' in override hash`, override);
      if (value !== undefined) return check('Found value', value);
    }
    for (const name of names) {
      const value = defaults.get(name);
      if (value !== undefined) return check(`Value found for key '${name}' in default values hash`, value);
    }
    return undefined;
  }

  /**
   * Returns the variables of the scope that looks up. Consecutive lookups usually share the scope,
   * so the last one is cached.
   */
  variablesOf(scope: Scope): Variables {
    if (this.#scopeVariables?.scope !== scope) this.#scopeVariables = new ScopeVariables(scope);
    return this.#scopeVariables;
  }

  /** Parses the name of a variable in the string `subject`. */
  variableName(text: string, subject: string): VariableName {
    const known = this.#variables.get(text);
    if (known) return known;
    const [root, ...segments] = splitKey(text, `in string: ${subject}`);
    const name = { root: String(root ?? ''), segments };
    this.#variables.set(text, name);
    return name;
  }

  /**
   * Returns the value of one key from all layers, merged and converted as `merge` and the key's
   * lookup_options say.
   */
  lookup(name: string, merge: Value, invocation: Invocation): Value | undefined {
    if (name === LOOKUP_OPTIONS || name.startsWith(`${LOOKUP_OPTIONS}.`)) {
      invocation.explainer?.mention({ kind: 'invalid_key', key: LOOKUP_OPTIONS });
      return undefined;
    }
    const key = new LookupKey(name);
    const before = invocation.begin(key, key.moduleName);
    try {
      return this.#lookup(key, merge, invocation);
    } finally {
      this.current = before;
    }
  }

  #lookup(key: LookupKey, merge: Value, invocation: Invocation): Value | undefined {
    this.context.inputs.recordLookup(key.rootKey);
    const { explainer } = invocation;
    if (explainer?.onlyOptions) {
      this.#findInLayers(OPTIONS_KEY, 'hash', invocation);
      return null;
    }
    const options = this.#optionsOf(key, invocation);
    const ownMerge = merge === null ? (options?.get('merge') ?? null) : null;
    if (ownMerge !== null) explainer?.mention({ kind: 'merge_source', source: LOOKUP_OPTIONS });
    const value = explainer
      ? this.#findExplained(key, merge ?? ownMerge, invocation)
      : this.#find(key, merge ?? ownMerge, invocation);
    return value === undefined ? undefined : convertResult(key, value, options, invocation);
  }

  #findExplained(key: LookupKey, merge: Value, invocation: Invocation): Value | undefined {
    return invocation.runWithin({ kind: 'search', key: key.text }, () => this.#find(key, merge, invocation));
  }

  #find(key: LookupKey, merge: Value, invocation: Invocation): Value | undefined {
    const value = this.#findInLayers(key, merge, invocation);
    const found = value === undefined ? undefined : key.dig(value, invocation.explainer);
    if (found !== undefined || invocation.globalOnly) return found;
    const byDefault = this.#findInModuleDefaults(key, invocation);
    return byDefault === undefined ? undefined : key.dig(byDefault, invocation.explainer);
  }

  #findInLayers(key: LookupKey, merge: Value, invocation: Invocation): Value | undefined {
    const strategy = mergeStrategy(merge);
    if (invocation.globalOnly) return this.#findInGlobal(key, invocation, strategy);
    return strategy.takesFirst
      ? this.#firstInLayers(key, invocation, strategy)
      : this.#mergeInLayers(key, invocation, strategy);
  }

  #mergeInLayers(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    return strategy.lookup(LAYERS, (layer) => this.#findIn(layer, key, invocation, strategy), invocation.explainer);
  }

  /**
   * Returns the first value of all layers. Equals `strategy.lookup`, without a function for each
   * lookup.
   */
  #firstInLayers(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    const global = this.#findInGlobal(key, invocation, strategy);
    if (global !== undefined) return global;
    const own = this.layers.getEnvironment(invocation)?.lookup(key, invocation, strategy);
    return own === undefined ? this.#findInModule(key, invocation, strategy) : own;
  }

  #findIn(layer: Layer, key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    if (layer === 'global') return this.#findInGlobal(key, invocation, strategy);
    if (layer === 'environment') return this.layers.getEnvironment(invocation)?.lookup(key, invocation, strategy);
    return this.#findInModule(key, invocation, strategy);
  }

  #findInGlobal(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    try {
      return this.layers.getGlobal().lookup(key, invocation, strategy);
    } catch (error) {
      if (!(error instanceof LookupError) || error.issueCode !== undefined) throw error;
      throw new RaisedError(ISSUES.LOOKUP_OF_KEY_FAILED({ key: String(invocation.topKey), detail: error.message }), {
        cause: error,
      });
    }
  }

  #findInModule(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    const { moduleName } = invocation;
    if (moduleName === null) return undefined;
    const layer = this.layers.getModule(moduleName, invocation);
    if (layer) return layer.lookup(key, invocation, strategy);
    if (invocation.explainer) {
      const isThere = this.context.environment.findModule(moduleName) !== null;
      const event = isThere ? 'module_provider_not_found' : 'module_not_found';
      invocation.explainer.mention({ kind: 'module', module: moduleName, event });
    }
    return undefined;
  }

  #findInModuleDefaults(key: LookupKey, invocation: Invocation): Value | undefined {
    const { moduleName } = invocation;
    const layer = moduleName === null ? null : this.layers.getModule(moduleName, invocation);
    if (moduleName === null || !layer?.getConfiguration(invocation)?.hasDefaultHierarchy) return undefined;
    return invocation.runWithin(
      { kind: 'scope', name: `Searching default_hierarchy of module "${moduleName}"` },
      () => {
        const merge = this.#defaultOptionsOf(key, layer, moduleName, invocation)?.get('merge') ?? null;
        return invocation.runWithin({ kind: 'scope', name: `Searching for "${key}"` }, () =>
          layer.lookupDefault(key, invocation, mergeStrategy(merge)),
        );
      },
    );
  }

  #defaultOptionsOf(key: LookupKey, layer: DataLayer, moduleName: string, invocation: Invocation): PuppetHash | null {
    try {
      return optionsFor(key, this.#moduleDefaults(layer, moduleName, invocation));
    } finally {
      this.#recordOptions(key);
    }
  }

  #moduleDefaults(layer: DataLayer, moduleName: string, invocation: Invocation): LookupOptions | null {
    const known = this.#moduleDefaultOptions.get(moduleName);
    if (known !== undefined) return known;
    const meta = new Invocation(this, invocation.scope);
    const options = meta.lookup(OPTIONS_KEY, moduleName, () =>
      meta.runWithin({ kind: 'scope', name: `Searching for "${LOOKUP_OPTIONS}"` }, () =>
        LookupOptions.from(checkOptions(layer.lookupDefault(OPTIONS_KEY, meta, HASH_MERGE), moduleName)),
      ),
    );
    this.#moduleDefaultOptions.set(moduleName, options);
    return options;
  }

  // ---- lookup_options

  /**
   * Records that a key was looked for in a data file of a layer. Of lookup_options, what they say
   * of each key counts from then on, not the whole.
   */
  recordRead(rootKey: string, { reads, data }: OpenKeyedFile, moduleName: string | null): void {
    if (rootKey === LOOKUP_OPTIONS && data.has(LOOKUP_OPTIONS)) this.#optionSources.set(reads, moduleName);
    else reads.record(rootKey);
  }

  #recordOptions({ rootKey, moduleName }: LookupKey): void {
    for (const [reads, owner] of this.#optionSources) {
      if (owner === null || owner === moduleName) reads.record(nameOptionsOf({ rootKey, moduleName: owner }));
    }
  }

  #optionsOf(key: LookupKey, invocation: Invocation): PuppetHash | null {
    try {
      const known = this.#options.get(key.moduleName);
      if (known !== undefined) return optionsFor(key, known);
      const options = this.#readOptions(key.moduleName, invocation);
      this.#options.set(key.moduleName, options);
      return optionsFor(key, options);
    } finally {
      // Also where the options are wrong: once they are right, the key is looked up again.
      this.#recordOptions(key);
    }
  }

  #readOptions(moduleName: string | null, invocation: Invocation): LookupOptions | null {
    const meta = new Invocation(this, invocation.scope);
    meta.globalOnly = invocation.globalOnly;
    return meta.lookup(OPTIONS_KEY, invocation.moduleName, () =>
      meta.runWithin({ kind: 'search', key: LOOKUP_OPTIONS }, () => {
        if (meta.globalOnly) return LookupOptions.from(this.#readGlobalOptions(meta));
        const outer = this.#readEnvironmentOptions(meta);
        if (moduleName === null) return LookupOptions.from(outer);
        if (!this.#options.has(null)) this.#options.set(null, LookupOptions.from(outer));
        const own = checkOptions(this.#findInModule(OPTIONS_KEY, meta, HASH_MERGE), moduleName);
        if (meta.explainer && outer && own) explainMergedOptions(outer, own, meta.explainer, moduleName);
        return LookupOptions.from(mergeOptions(outer, own));
      }),
    );
  }

  #readGlobalOptions(meta: Invocation): PuppetHash | null {
    if (this.#globalOptions === undefined) {
      this.#globalOptions = null;
      this.#globalOptions = checkOptions(this.#findInGlobal(OPTIONS_KEY, meta, HASH_MERGE), null);
    }
    return this.#globalOptions;
  }

  #readEnvironmentOptions(meta: Invocation): PuppetHash | null {
    if (this.#environmentOptions === undefined) {
      const global = this.#readGlobalOptions(meta);
      const found = this.layers.getEnvironment(meta)?.lookup(OPTIONS_KEY, meta, HASH_MERGE);
      this.#environmentOptions = mergeOptions(global, checkOptions(found, null));
    }
    return this.#environmentOptions;
  }
}

/** A variable, and the path into its value. */
interface VariableName {
  readonly root: string;
  readonly segments: readonly KeySegment[];
}

/** May reject the value that its first argument describes. */
type Check = (subject: string, value: Value) => Value;

function skipCheck(_subject: string, value: Value): Value {
  return value;
}

const LAYERS = ['global', 'environment', 'module'] as const;

type Layer = (typeof LAYERS)[number];

/** Explains lookup_options that both the outer layers and a module define. */
function explainMergedOptions(outer: PuppetHash, own: PuppetHash, explainer: Explainer, moduleName: string): void {
  const sources = [
    ['Global and Environment', outer],
    [`Module ${moduleName}`, own],
  ] as const;
  HASH_MERGE.lookup(
    sources,
    ([name, options]) =>
      explainer.runWithin({ kind: 'scope', name }, () => {
        explainer.noteFound(LOOKUP_OPTIONS, options);
        return options;
      }),
    explainer,
  );
}

function mergeOptions(first: PuppetHash | null, second: PuppetHash | null): PuppetHash | null {
  if (first === null || second === null) return first ?? second;
  const merged = HASH_MERGE.merge(first, second);
  return merged instanceof PuppetHash ? merged : null;
}

/** Checks that lookup_options are a hash, and that a module's options concern only its own keys. */
function checkOptions(options: Value | undefined, moduleName: string | null): PuppetHash | null {
  if (options === undefined || options === null) return null;
  if (!(options instanceof PuppetHash)) throw new LookupError(ISSUES.LOOKUP_OPTIONS_NO_HASH());
  if (moduleName === null) return options;
  for (const key of [...options.keys()].map(String)) {
    const isPattern = key.startsWith('^');
    if (key.slice(isPattern ? 1 : 0).startsWith(`${moduleName}::`)) continue;
    throw new LookupError(
      isPattern
        ? ISSUES.LOOKUP_OPTIONS_FOREIGN_PATTERN({ module: moduleName })
        : ISSUES.LOOKUP_OPTIONS_FOREIGN_KEY({ module: moduleName }),
    );
  }
  return options;
}
