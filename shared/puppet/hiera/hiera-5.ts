import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Language } from '../levels/language.ts';
import { assertInstance } from '../types/assertion.ts';
import { parseType } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { createEntryProvider, type EntryProvider, type FunctionKind } from './entry-provider.ts';
import type { HieraConfig } from './hiera-config.ts';
import { interpolate } from './interpolation.ts';
import type { Invocation } from './invocation.ts';
import type { DataLayer } from './layer.ts';
import {
  expandGlobs,
  expandMappedPaths,
  expandUris,
  interpolateText,
  type Location,
  resolvePaths,
} from './locations.ts';

const FUNCTION_KEYS = ['data_hash', 'lookup_key', 'data_dig', 'hiera3_backend'] as const;
const ALL_FUNCTION_KEYS = [...FUNCTION_KEYS, 'v4_data_hash'] as const;
const LOCATION_KEYS = ['path', 'paths', 'glob', 'globs', 'uri', 'uris', 'mapped_paths'] as const;

const OPTIONS = 'Optional[options]=>Hash[Pattern[/\\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\\z/],Data]';
const FUNCTIONS = ['data_hash', 'lookup_key', 'data_dig'].map((key) => `Optional[${key}]=>String[1]`).join(',');
const ENTRY =
  `Struct[{name=>String[1],${OPTIONS},Optional[data_hash]=>String[1],Optional[lookup_key]=>String[1],` +
  'Optional[hiera3_backend]=>String[1],Optional[v4_data_hash]=>String[1],Optional[data_dig]=>String[1],Optional[path]=>String[1],Optional[paths]=>Array[String[1],1],' +
  'Optional[glob]=>String[1],Optional[globs]=>Array[String[1],1],Optional[uri]=>String[1],' +
  'Optional[uris]=>Array[String[1],1],Optional[mapped_paths]=>Array[String[1],3,3],Optional[datadir]=>String[1]}]';
const CONFIG =
  `Struct[{version=>Integer[5,5],Optional[defaults]=>Struct[{${FUNCTIONS},Optional[datadir]=>String[1],${OPTIONS}}],` +
  `Optional[hierarchy]=>Array[${ENTRY}],Optional[plan_hierarchy]=>Array[${ENTRY}],` +
  `Optional[default_hierarchy]=>Array[${ENTRY}]}]`;

/** Adds what a hiera.yaml of version 5 leaves out. Without settings of its own it is valid. */
export function completeConfig5(config: HieraConfig): HieraConfig {
  const { settings } = config;
  if ((settings.get('defaults') ?? null) === null) {
    settings.set(
      'defaults',
      PuppetHash.of([
        ['datadir', 'data'],
        ['data_hash', 'yaml_data'],
      ]),
    );
  }
  if ((settings.get('hierarchy') ?? null) === null) {
    settings.set('hierarchy', [
      PuppetHash.of([
        ['name', 'Common'],
        ['path', 'common.yaml'],
      ]),
    ]);
  }
  return config;
}

/**
 * Completes and checks a hiera.yaml of version 5. Throws LookupError, or PuppetError when the
 * file's structure is wrong.
 */
export function validateConfig5(config: HieraConfig, layer: DataLayer, { product }: Language): HieraConfig {
  const { settings } = completeConfig5(config);
  assertInstance(`The Lookup Configuration at '${config.path ?? ''}'`, parseType(CONFIG), settings);
  const defaults = hashAt(settings, 'defaults');
  validateDefaults(config, defaults, product);
  for (const entry of entriesAt(settings, 'hierarchy')) validateEntry(config, entry, defaults, layer, product);
  for (const entry of entriesAt(settings, 'plan_hierarchy')) validateEntry(config, entry, defaults, layer, product);
  if (settings.has('default_hierarchy')) {
    if (layer.place !== 'Module') failDefaultHierarchy(config);
    for (const entry of entriesAt(settings, 'default_hierarchy'))
      validateEntry(config, entry, defaults, layer, product);
  }
  return config;
}

function failDefaultHierarchy(config: HieraConfig): never {
  config.fail(ISSUES.HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE(), config.findLine('(?:^|\\s+)default_hierarchy:'));
}

function hashAt(hash: PuppetHash, key: string): PuppetHash {
  const value = hash.get(key);
  return value instanceof PuppetHash ? value : new PuppetHash();
}

function entriesAt(settings: PuppetHash, key: string): readonly PuppetHash[] {
  const value = settings.get(key);
  return Array.isArray(value) ? value.filter((item) => item instanceof PuppetHash) : [];
}

function validateDefaults(config: HieraConfig, defaults: PuppetHash, product: string): void {
  if (FUNCTION_KEYS.filter((key) => defaults.has(key)).length > 1) {
    config.fail(ISSUES.HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT({ keys: listWords(FUNCTION_KEYS) }));
  }
  for (const key of ['path', 'uri']) {
    if (!hashAt(defaults, 'options').has(key)) continue;
    config.fail(ISSUES.HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET({ key, product }));
  }
}

function validateEntry(
  config: HieraConfig,
  entry: PuppetHash,
  defaults: PuppetHash,
  layer: DataLayer,
  product: string,
): void {
  const name = textAt(entry, 'name');
  const functions = ALL_FUNCTION_KEYS.filter((key) => entry.has(key));
  if (functions.length === 0 && !FUNCTION_KEYS.some((key) => defaults.has(key))) {
    config.fail(ISSUES.HIERA_MISSING_DATA_PROVIDER_FUNCTION({ keys: listWords(FUNCTION_KEYS), name }));
  }
  if (functions.length > 1) {
    config.fail(ISSUES.HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS({ keys: listWords(FUNCTION_KEYS), name }));
  }
  validateBackend(config, textAt(entry, 'hiera3_backend'), layer);
  if (LOCATION_KEYS.filter((key) => entry.has(key)).length > 1) {
    config.fail(ISSUES.HIERA_MULTIPLE_LOCATION_SPECS({ keys: listWords(LOCATION_KEYS), name }));
  }
  for (const key of ['path', 'uri']) {
    if (!hashAt(entry, 'options').has(key)) continue;
    config.fail(ISSUES.HIERA_OPTION_RESERVED_BY_PUPPET({ key, name, product }));
  }
}

function validateBackend(config: HieraConfig, backend: string, layer: DataLayer): void {
  if (backend === '') return;
  if (layer.place !== 'Global') {
    config.fail(ISSUES.HIERA_V3_BACKEND_NOT_GLOBAL(), config.findLine('\\s+hiera3_backend:'));
  }
  if (['json', 'yaml', 'hocon'].includes(backend)) {
    config.fail(
      ISSUES.HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH({ backend }),
      config.findLine(`\\s+hiera3_backend:\\s*['"]?${backend}(?:[^\\w]|$)`),
    );
  }
}

function listWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}

function textAt(hash: PuppetHash, key: string): string {
  const value = hash.get(key);
  return typeof value === 'string' ? value : '';
}

function textsAt(hash: PuppetHash, key: string): readonly string[] {
  const value = hash.get(key);
  return Array.isArray(value) ? value.map(String) : [textAt(hash, key)];
}

/** Creates the providers for the entries of a hierarchy. */
export function createHierarchy5(
  config: HieraConfig,
  invocation: Invocation,
  layer: DataLayer,
  useDefault: boolean,
): readonly EntryProvider[] {
  const { settings } = config;
  const providers = new Map<string, EntryProvider>();
  // Puppet: it replaces the default hierarchy, too, lib/puppet/pops/lookup/hiera_config.rb.
  const isOfPlan = invocation.scope.context.settings.tasks && (settings.get('plan_hierarchy') ?? null) !== null;
  const hierarchy = useDefault ? 'default_hierarchy' : 'hierarchy';
  for (const entry of entriesAt(settings, isOfPlan ? 'plan_hierarchy' : hierarchy)) {
    const name = textAt(entry, 'name');
    if (providers.has(name)) failRepeated(config, name);
    const provider = createProvider(config, entry, invocation, layer);
    if (provider) providers.set(name, provider);
  }
  return [...providers.values()];
}

export function failRepeated(config: HieraConfig, name: string): never {
  const pattern = `\\s+name:\\s+['"]?${name}(?:[^\\w]|$)`;
  config.failMultiplyDefined((firstLine) => ISSUES.HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED({ name, firstLine }), pattern);
}

function createProvider(
  config: HieraConfig,
  entry: PuppetHash,
  invocation: Invocation,
  layer: DataLayer,
): EntryProvider | null {
  const { inputs } = invocation.scope.context;
  const { site } = inputs;
  if (config.path !== null) inputs.site = { file: config.path };
  const defaults = hashAt(config.settings, 'defaults');
  const own = ALL_FUNCTION_KEYS.find((key) => entry.has(key));
  const kind: FunctionKind = own ?? FUNCTION_KEYS.find((key) => defaults.has(key)) ?? 'data_hash';
  const functionName = textAt(own ? entry : defaults, kind);
  const declared = textAt(entry, 'datadir') || textAt(defaults, 'datadir') || 'data';
  const folder = interpolateText(posix.resolve(config.root, declared), invocation);
  const locations = invocation.runLeniently(() => createLocations(entry, folder, invocation));
  const existing = config.path === null ? (locations?.filter((location) => location.exists) ?? null) : locations;
  if (config.path === null && existing?.length === 0) return null;
  const options: Value = entry.get('options') ?? defaults.get('options') ?? new PuppetHash();
  const interpolated = interpolate(options, invocation, false);
  inputs.site = site;
  return createEntryProvider({
    name: textAt(entry, 'name'),
    kind,
    functionName,
    options: interpolated instanceof PuppetHash ? interpolated : new PuppetHash(),
    locations: existing,
    layer,
    config,
  });
}

function createLocations(entry: PuppetHash, folder: string, invocation: Invocation): readonly Location[] | null {
  const key = LOCATION_KEYS.find((candidate) => entry.has(candidate));
  if (key === undefined) return null;
  const texts = textsAt(entry, key);
  if (key === 'path' || key === 'paths') return resolvePaths(folder, texts, invocation);
  if (key === 'glob' || key === 'globs') return expandGlobs(folder, texts, invocation);
  if (key === 'uri' || key === 'uris') return expandUris(texts, invocation);
  return expandMappedPaths(folder, texts, invocation);
}
