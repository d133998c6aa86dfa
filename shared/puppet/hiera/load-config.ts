import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { YamlLoadError } from '../serialization/yaml.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { readYaml } from './data-files.ts';
import { createHierarchy3, validateConfig3 } from './hiera-3.ts';
import { createHierarchy4, validateConfig4 } from './hiera-4.ts';
import { completeConfig5, createHierarchy5, validateConfig5 } from './hiera-5.ts';
import { HieraConfig } from './hiera-config.ts';
import type { Invocation } from './invocation.ts';
import type { DataLayer } from './layer.ts';

/**
 * Creates a configuration that calls the deprecated `data` function of an environment or module.
 */
export function legacyFunctionConfig(root: string, functionName: string, invocation: Invocation): HieraConfig {
  const { settings, log } = invocation.scope.context;
  if (settings.strict !== 'off') {
    log.addOnce('deprecations legacy_provider_function', {
      level: 'warning',
      message: `Using of legacy data provider function '${functionName}'. Please convert to a 'data_hash' function\n   (file & line not available)`,
    });
  }
  const entry = PuppetHash.of([
    ['name', `Legacy function '${functionName}'`],
    ['v4_data_hash', functionName],
  ]);
  const config = PuppetHash.of([
    ['version', 5n],
    ['hierarchy', [entry]],
  ]);
  return new HieraConfig(5, { path: null, root, text: '' }, config, createHierarchy5);
}

/** Creates the configuration of a layer without data. */
export function emptyConfig(): HieraConfig {
  const settings = PuppetHash.of([
    ['version', 5n],
    ['hierarchy', []],
  ]);
  return new HieraConfig(5, { path: null, root: '/', text: '' }, settings, createHierarchy5);
}

/**
 * Reads and checks the hiera.yaml at `path`; returns the default configuration when it does not
 * exist. Throws LookupError.
 */
export function loadHieraConfig(path: string, layer: DataLayer, invocation: Invocation): HieraConfig {
  const { environment, language } = invocation.scope.context;
  const text = path === '' ? null : environment.readText(path);
  if (text === null) {
    const settings = PuppetHash.of([['version', 5n]]);
    const source = { path: null, root: layer.root, text: '' };
    return completeConfig5(new HieraConfig(5, source, settings, createHierarchy5));
  }
  const { settings, read } = readSettings(path, invocation);
  const declared = settings.get('version') ?? null;
  const version = declared === null ? 3 : Number.parseInt(String(declared), 10) || 0;
  if (version !== 3 && version !== 4 && version !== 5) {
    throw new LookupError(ISSUES.HIERA_UNSUPPORTED_VERSION({ version }), { file: path });
  }
  const source = { path, root: layer.root, text };
  if (version === 3) return validateConfig3(new HieraConfig(3, source, settings, createHierarchy3), invocation);
  if (version === 4) return validateConfig4(new HieraConfig(4, source, settings, createHierarchy4), invocation);
  const config = new HieraConfig(5, source, settings, createHierarchy5);
  if (read && valid.get(read)?.has(layer.place)) return completeConfig5(config);
  validateConfig5(config, layer, language);
  if (read) valid.set(read, (valid.get(read) ?? new Set()).add(layer.place));
  return config;
}

/**
 * The contents of files of version 5 that were found valid, and the places of their layers. Entries
 * live as long as the parsed file and serve all compiles of a process.
 */
const valid = new WeakMap<PuppetHash, Set<DataLayer['place']>>();

function readConfigFile(path: string, invocation: Invocation): Value | undefined {
  try {
    return readYaml(path, invocation.session);
  } catch (error) {
    if (error instanceof YamlLoadError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}

interface ReadSettings {
  /** A copy, to be completed. */
  readonly settings: PuppetHash;
  /** The content of the file, which all compiles share; null when it is no hash. */
  readonly read: PuppetHash | null;
}

function readSettings(path: string, invocation: Invocation): ReadSettings {
  const value = readConfigFile(path, invocation);
  if (value instanceof PuppetHash) return { settings: PuppetHash.of(value.entries()), read: value };
  invocation.scope.context.log.add({
    level: 'warning',
    message: `${path}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config`,
  });
  return { settings: new PuppetHash(), read: null };
}
