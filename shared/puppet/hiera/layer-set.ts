import { posix } from 'node:path';
import type { ModuleInfo } from '../environment/environment.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { HieraConfig } from './hiera-config.ts';
import type { Invocation } from './invocation.ts';
import { type DataLayer, EnvironmentLayer, GlobalLayer, ModuleLayer } from './layer.ts';
import { emptyConfig, legacyFunctionConfig } from './load-config.ts';
import type { LookupSession } from './lookup-session.ts';

const HIERA_YAML = 'hiera.yaml';

/** The data layers of one compile, each created on first use. */
export class LayerSet {
  readonly #session: LookupSession;
  #global: GlobalLayer | undefined;
  #environment: DataLayer | null | undefined;
  readonly #modules = new Map<string, DataLayer | null>();

  constructor(session: LookupSession) {
    this.#session = session;
  }

  getGlobal(): GlobalLayer {
    if (this.#global === undefined) {
      const path = this.#session.context.environment.globalHiera;
      this.#global =
        path === null
          ? new GlobalLayer('/', null, null, emptyConfig())
          : new GlobalLayer(posix.dirname(path), path, null);
    }
    return this.#global;
  }

  getEnvironment(invocation: Invocation): DataLayer | null {
    if (this.#environment === undefined) this.#environment = this.#makeEnvironment(invocation);
    return this.#environment;
  }

  /** Whether the environment has a hiera.yaml of version 5. */
  hasEnvironmentData(invocation: Invocation): boolean {
    return (this.getEnvironment(invocation)?.getConfiguration(invocation)?.version ?? 0) >= 5;
  }

  getModule(name: string, invocation: Invocation): DataLayer | null {
    const known = this.#modules.get(name);
    if (known !== undefined) return known;
    const module = this.#session.context.environment.findModule(name);
    const layer = module && this.#makeModule(module, invocation);
    this.#modules.set(name, layer);
    return layer;
  }

  #makeEnvironment(invocation: Invocation): DataLayer | null {
    const { environment, language } = this.#session.context;
    const { root } = environment;
    const path = posix.join(root, HIERA_YAML);
    const make = (config?: HieraConfig) => new EnvironmentLayer(root, path, null, config);
    const layer = environment.kindOf(path) === null ? null : make();
    const usable = layer?.getConfiguration(invocation) ? layer : null;
    const provider = language.environmentDataProvider ? environment.configuration.dataProvider : null;
    if (provider === null) return usable;
    const confFile = posix.join(root, 'environment.conf');
    const setting = `Defining environment_data_provider='${provider}' in environment.conf is deprecated`;
    if ((usable?.getConfiguration(invocation)?.version ?? 0) >= 5) {
      this.#deprecate('environment.conf#data_provider', setting, confFile);
      if (provider !== 'hiera') {
        const ignored = `The environment_data_provider='${provider}' setting is ignored since '${path}' version >= 5`;
        this.#deprecate('environment.conf#data_provider_overridden', ignored, confFile);
      }
      return usable;
    }
    const advice = usable ? '' : ` A '${HIERA_YAML}' file should be used instead`;
    this.#deprecate('environment.conf#data_provider', `${setting}.${advice}`, confFile);
    if (provider === 'none') return null;
    if (provider === 'hiera') return usable ?? make();
    if (provider === 'function') return make(legacyFunctionConfig(root, 'environment::data', invocation));
    throw new PuppetError(ISSUES.ENVIRONMENT_DATA_PROVIDER_NOT_FOUND({ environment: environment.name, provider }));
  }

  #makeModule(module: ModuleInfo, invocation: Invocation): DataLayer | null {
    const { environment } = this.#session.context;
    const { name, root } = module;
    const path = `${root}/${HIERA_YAML}`;
    const layer = environment.kindOf(path) === null ? null : new ModuleLayer(root, path, name);
    const usable = layer?.getConfiguration(invocation) ? layer : null;
    const provider = module.metadata?.dataProvider ?? null;
    if (provider === null) return usable;
    const metadata = posix.join(root, 'metadata.json');
    const setting = `Defining "data_provider": "${provider}" in metadata.json is deprecated.`;
    if ((usable?.getConfiguration(invocation)?.version ?? 0) >= 5) {
      const ignored = `${setting} It is ignored since a '${HIERA_YAML}' with version >= 5 is present`;
      this.#deprecate(`metadata.json#data_provider-${name}`, ignored, metadata);
      return usable;
    }
    const advice = usable ? '' : ` A '${HIERA_YAML}' file should be used instead`;
    this.#deprecate(`metadata.json#data_provider-${name}`, setting + advice, metadata);
    if (provider === 'none') return null;
    if (provider === 'hiera') return usable ?? new ModuleLayer(root, path, name);
    if (provider === 'function') {
      return new ModuleLayer(root, path, name, legacyFunctionConfig(root, `${name}::data`, invocation));
    }
    throw new PuppetError(ISSUES.MODULE_DATA_PROVIDER_NOT_FOUND({ environment: environment.name, provider }));
  }

  #deprecate(key: string, text: string, file: string): void {
    const { settings, log } = this.#session.context;
    if (settings.strict === 'off') return;
    log.addOnce(`deprecations ${key}`, { level: 'warning', message: `${text}\n   (file: ${file})` });
  }
}
