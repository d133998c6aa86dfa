import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { EntryProvider } from './entry-provider.ts';
import type { HieraConfig } from './hiera-config.ts';
import { type Invocation, lookupFault } from './invocation.ts';
import { loadHieraConfig } from './load-config.ts';
import { LOOKUP_OPTIONS, type LookupKey } from './lookup-key.ts';
import type { MergeStrategy } from './merge-strategy.ts';
import { hiera3Variables } from './variables.ts';

type LayerPlace = 'Global' | 'Environment' | 'Module';

/**
 * A Hiera layer: a hiera.yaml and its data. Follows
 * lib/puppet/pops/lookup/configured_data_provider.rb.
 */
export abstract class DataLayer {
  abstract readonly place: LayerPlace;
  readonly moduleName: string | null;
  /** The folder of hiera.yaml; relative paths start here. */
  readonly root: string;
  readonly #hieraYaml: string | null;
  #config: HieraConfig | null | undefined;

  /** `configPath` null: the layer has no hiera.yaml and uses only `config`. */
  constructor(root: string, configPath: string | null, moduleName: string | null, config?: HieraConfig) {
    this.root = root;
    this.moduleName = moduleName;
    this.#hieraYaml = configPath;
    this.#config = config;
  }

  /** The hiera.yaml in use; null when there is none. */
  get configPath(): string | null {
    return this.#config?.path ?? null;
  }

  get explainedName(): string {
    const owner = this.moduleName === null ? '' : `"${this.moduleName}" `;
    const version = this.#config ? ` (hiera configuration version ${this.#config.version})` : '';
    return `${this.place} ${owner}Data Provider${version}`;
  }

  /**
   * Returns the layer's hiera.yaml; null when the layer ignores it. Throws LookupError for one that
   * the layer cannot use.
   */
  getConfiguration(invocation: Invocation): HieraConfig | null {
    if (this.#config === undefined) {
      this.#config = this.accept(loadHieraConfig(this.#hieraYaml ?? '', this, invocation), invocation);
    }
    return this.#config;
  }

  protected abstract accept(config: HieraConfig, invocation: Invocation): HieraConfig | null;

  /** Returns the value of the root of `key`; undefined when the layer has none. */
  lookup(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    if (this.#config?.isBarren && !invocation.explainer) {
      invocation.refuseCircle(key.text);
      return undefined;
    }
    invocation.enter(key.text);
    try {
      return this.lookupUnchecked(key, invocation, strategy);
    } catch (error) {
      throw lookupFault(error);
    } finally {
      invocation.leave();
    }
  }

  /** Like `lookup`, in the `default_hierarchy`. */
  lookupDefault(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    const providers = this.getConfiguration(invocation)?.createProviders(invocation, this, true) ?? [];
    if (providers.length === 0) {
      invocation.explainer?.notFound(key);
      return undefined;
    }
    return invocation.check(key.text, () =>
      invocation.runWithin({ kind: 'data_provider', provider: this }, () =>
        findIn(providers, key, invocation, strategy),
      ),
    );
  }

  protected lookupUnchecked(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    return invocation.explainer
      ? this.#findExplained(key, invocation, strategy)
      : this.#find(key, invocation, strategy);
  }

  #findExplained(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    return invocation.runWithin({ kind: 'data_provider', provider: this }, () => this.#find(key, invocation, strategy));
  }

  #find(key: LookupKey, invocation: Invocation, strategy: MergeStrategy): Value | undefined {
    const providers = this.getConfiguration(invocation)?.createProviders(invocation, this, false) ?? [];
    if (providers.length === 0) invocation.explainer?.notFound(key);
    return findIn(providers, key, invocation, strategy);
  }

  /** Removes the keys that the layer may not provide; `label` names the source of the hash. */
  checkData(data: PuppetHash, _label: () => string, _invocation: Invocation): PuppetHash {
    return data;
  }
}

function findIn(
  providers: readonly EntryProvider[],
  key: LookupKey,
  invocation: Invocation,
  strategy: MergeStrategy,
): Value | undefined {
  return strategy.takesFirst
    ? firstIn(providers, key, invocation, strategy)
    : mergeProviders(providers, key, invocation, strategy);
}

function mergeProviders(
  providers: readonly EntryProvider[],
  key: LookupKey,
  invocation: Invocation,
  strategy: MergeStrategy,
): Value | undefined {
  return strategy.lookup(providers, (provider) => provider.lookup(key, invocation, strategy), invocation.explainer);
}

/**
 * Returns the first value of all providers. Equals `strategy.lookup`, without a function or
 * iterator for each lookup.
 */
function firstIn(
  providers: readonly EntryProvider[],
  key: LookupKey,
  invocation: Invocation,
  strategy: MergeStrategy,
): Value | undefined {
  for (let place = 0; place < providers.length; place += 1) {
    const value = providers[place]?.lookup(key, invocation, strategy);
    if (value !== undefined) return value;
  }
  return undefined;
}

export class GlobalLayer extends DataLayer {
  readonly place = 'Global';

  protected accept(config: HieraConfig): HieraConfig {
    if (config.version === 4) {
      config.fail(ISSUES.HIERA_UNSUPPORTED_VERSION_IN_GLOBAL());
    }
    return config;
  }

  protected override lookupUnchecked(
    key: LookupKey,
    invocation: Invocation,
    strategy: MergeStrategy,
  ): Value | undefined {
    return this.getConfiguration(invocation)?.version === 3
      ? this.#lookupHiera3(key, invocation, strategy)
      : super.lookupUnchecked(key, invocation, strategy);
  }

  // Puppet: Hiera 3 has its own variables, and its configuration decides how `hiera_hash` merges
  // (global_data_provider.rb).
  #lookupHiera3(key: LookupKey, outer: Invocation, strategy: MergeStrategy): Value | undefined {
    const invocation = outer.derive(outer.scope, hiera3Variables(outer.scope));
    const { layers } = outer.session;
    if (!layers.hasEnvironmentData(outer)) invocation.globalOnly = true;
    const own = this.getConfiguration(invocation)?.hiera3Merge ?? null;
    const merge = own && invocation.hieraCall && strategy.name === 'hash' ? own : strategy;
    if (merge !== strategy) invocation.hiera3Merge = true;
    return invocation.lookup(key, outer.moduleName, () => {
      const value = super.lookupUnchecked(key, invocation, merge);
      if (value !== undefined && invocation.hieraCall) checkHieraCall(key, value, merge);
      return value;
    });
  }
}

function checkHieraCall(key: LookupKey, value: Value, merge: MergeStrategy): void {
  const mergesHashes = merge.name === 'hash' || merge.name === 'deep' || merge.name.endsWith('_deep');
  if (mergesHashes && !(value instanceof PuppetHash)) {
    throw new LookupError(ISSUES.LOOKUP_RESULT_NO_HASH({ actual: Array.isArray(value) ? 'Array' : 'String' }));
  }
  if (key.segments.length === 0 || (merge.name !== 'hash' && merge.name !== 'unique')) return;
  const type = merge.name === 'hash' ? 'hash' : 'array';
  throw new LookupError(ISSUES.DOTTED_KEY_RESOLUTION_TYPE({ type, key: String(key) }));
}

/** A layer that rejects hiera.yaml version 3. */
abstract class Hiera5Layer extends DataLayer {
  protected accept(config: HieraConfig, invocation: Invocation): HieraConfig | null {
    if (config.version > 3) return config;
    const { settings, log } = invocation.scope.context;
    if (settings.strict === 'error') {
      const where = this.place === 'Module' ? 'a module' : 'an environment';
      config.fail(ISSUES.HIERA_VERSION_3_NOT_GLOBAL({ where }));
    }
    const root = this.place === 'Module' ? 'module root' : 'the environment root';
    log.addOnce(`hiera_v3 ${config.path}`, {
      level: 'warning',
      message: `hiera.yaml version 3 found at ${root} was ignored\n   (file: ${config.path})`,
    });
    return null;
  }
}

export class EnvironmentLayer extends Hiera5Layer {
  readonly place = 'Environment';
}

export class ModuleLayer extends Hiera5Layer {
  readonly place = 'Module';

  override checkData(data: PuppetHash, label: () => string, invocation: Invocation): PuppetHash {
    const prefix = `${this.moduleName}::`;
    const isOwn = (key: Value) => key === LOOKUP_OPTIONS || (typeof key === 'string' && key.startsWith(prefix));
    const entries = [...data.entries()];
    const own = entries.filter(([key]) => isOwn(key));
    if (own.length === entries.length) return data;
    for (const [key] of entries) {
      if (isOwn(key)) continue;
      const message = `Module '${this.moduleName}': ${label()} must use keys qualified with the name of the module; got ${key}`;
      invocation.scope.context.log.add({ level: 'warning', message });
    }
    return PuppetHash.of(own);
  }
}
