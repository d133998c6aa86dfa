import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { assertInstance } from '../types/assertion.ts';
import { parseType } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { createEntryProvider, type EntryProvider, type FunctionKind } from './entry-provider.ts';
import { deprecateVersion, type HieraConfig } from './hiera-config.ts';
import { interpolate } from './interpolation.ts';
import type { Invocation } from './invocation.ts';
import type { DataLayer } from './layer.ts';
import { interpolateText, resolvePaths } from './locations.ts';

/** Completes and checks a hiera.yaml of version 3. */
export function validateConfig3(config: HieraConfig, invocation: Invocation): HieraConfig {
  deprecateVersion(config, invocation);
  const { settings } = config;
  const defaults: readonly (readonly [string, Value])[] = [
    ['version', 3n],
    ['backends', ['yaml']],
    ['hierarchy', ['nodes/%{::trusted.certname}', 'common']],
    ['merge_behavior', 'native'],
    ['deep_merge_options', new PuppetHash()],
  ];
  for (const [key, value] of defaults) {
    if ((settings.get(key) ?? null) === null) settings.set(key, value);
  }
  const backends = listTexts(settings, 'backends').map((backend) => `Optional['${backend}']=>Hash[String[1],Any]`);
  const type =
    'Struct[{Optional[version]=>Integer[3,3],Optional[backends]=>Variant[String[1],Array[String[1]]],' +
    "Optional[logger]=>String[1],Optional[merge_behavior]=>Enum['deep','deeper','native']," +
    'Optional[deep_merge_options]=>Hash[String[1],Variant[String,Boolean]],' +
    `Optional[hierarchy]=>Variant[String[1],Array[String[1]]]${backends.map((text) => `,${text}`).join('')}}]`;
  assertInstance(`The Lookup Configuration at '${config.path}'`, parseType(type), settings);
  return config;
}

function listTexts(settings: PuppetHash, key: string): readonly string[] {
  const value = settings.get(key) ?? null;
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** By backend: the calling convention and name of its function. */
const BACKENDS: Readonly<Record<string, readonly [FunctionKind, string]>> = {
  json: ['v3_data_hash', 'json_data'],
  yaml: ['v3_data_hash', 'yaml_data'],
  hocon: ['v3_data_hash', 'hocon_data'],
  eyaml: ['v3_lookup_key', 'eyaml_lookup_key'],
};

export function createHierarchy3(
  config: HieraConfig,
  invocation: Invocation,
  layer: DataLayer,
): readonly EntryProvider[] {
  const providers = new Map<string, EntryProvider>();
  for (const backend of listTexts(config.settings, 'backends')) {
    if (providers.has(backend)) {
      const pattern = `[^\\w]${backend}(?:[^\\w]|$)`;
      config.failMultiplyDefined(
        (firstLine) => ISSUES.HIERA_BACKEND_MULTIPLY_DEFINED({ name: backend, firstLine }),
        pattern,
      );
    }
    providers.set(backend, createProvider(config, backend, invocation, layer));
  }
  return [...providers.values()];
}

function createProvider(config: HieraConfig, backend: string, invocation: Invocation, layer: DataLayer): EntryProvider {
  const own = interpolate(config.settings.get(backend) ?? null, invocation, false);
  const settings = own instanceof PuppetHash ? own : new PuppetHash();
  const declared = settings.get('datadir');
  const folder = typeof declared === 'string' ? declared : defaultFolder(invocation);
  const extension = `.${settings.get('extension') ?? (backend === 'hocon' ? 'conf' : backend)}`;
  const locations = resolvePaths(folder, listTexts(config.settings, 'hierarchy'), invocation, extension);
  const [kind, functionName] = BACKENDS[backend] ?? (['hiera3_backend', backend] as const);
  const options = kind === 'v3_lookup_key' ? settings.merge(PuppetHash.of([])) : new PuppetHash();
  return createEntryProvider({ name: backend, kind, functionName, options, locations, layer, config, folder });
}

function defaultFolder(invocation: Invocation): string {
  const environments = posix.dirname(invocation.scope.context.environment.root);
  return interpolateText(posix.join(environments, '%{::environment}', 'hieradata'), invocation);
}
