import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { assertInstance } from '../types/assertion.ts';
import { parseType } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { createEntryProvider, type EntryProvider } from './entry-provider.ts';
import { failRepeated } from './hiera-5.ts';
import { deprecateVersion, type HieraConfig } from './hiera-config.ts';
import type { Invocation } from './invocation.ts';
import type { DataLayer } from './layer.ts';
import { resolvePaths } from './locations.ts';

const CONFIG =
  'Struct[{version=>Integer[4,4],Optional[datadir]=>String[1],Optional[hierarchy]=>Array[Struct[{' +
  'backend=>String[1],name=>String[1],Optional[datadir]=>String[1],Optional[path]=>String[1],' +
  'Optional[paths]=>Array[String[1]]}]]}]';

/** By backend: its data function and its file name extension. */
const BACKENDS: Readonly<Record<string, readonly [string, string]>> = {
  json: ['json_data', '.json'],
  yaml: ['yaml_data', '.yaml'],
  hocon: ['hocon_data', '.conf'],
};

/** Completes and checks a hiera.yaml of the experimental version 4. */
export function validateConfig4(config: HieraConfig, invocation: Invocation): HieraConfig {
  deprecateVersion(config, invocation);
  const { settings } = config;
  if (!settings.has('datadir')) settings.set('datadir', 'data');
  if (!settings.has('hierarchy')) {
    settings.set('hierarchy', [
      PuppetHash.of([
        ['name', 'common'],
        ['backend', 'yaml'],
      ]),
    ]);
  }
  assertInstance(`The Lookup Configuration at '${config.path}'`, parseType(CONFIG), settings);
  return config;
}

export function createHierarchy4(
  config: HieraConfig,
  invocation: Invocation,
  layer: DataLayer,
): readonly EntryProvider[] {
  const providers = new Map<string, EntryProvider>();
  const hierarchy = config.settings.get('hierarchy');
  const entries = Array.isArray(hierarchy) ? hierarchy.filter((entry) => entry instanceof PuppetHash) : [];
  for (const entry of entries) {
    const name = String(entry.get('name'));
    if (providers.has(name)) failRepeated(config, name);
    const backend = String(entry.get('backend'));
    const [functionName, extension] = BACKENDS[backend] ?? failBackend(config, backend);
    const paths = entry.get('paths') ?? [entry.get('path') ?? name];
    const folder = posix.resolve(config.root, String(entry.get('datadir') ?? config.settings.get('datadir')));
    const locations = resolvePaths(folder, Array.isArray(paths) ? paths.map(String) : [], invocation, extension);
    const shown = config.path === null ? locations.filter((location) => location.exists) : locations;
    const options = new PuppetHash();
    providers.set(
      name,
      createEntryProvider({ name, kind: 'data_hash', functionName, options, locations: shown, layer, config }),
    );
  }
  return [...providers.values()];
}

function failBackend(config: HieraConfig, backend: string): never {
  config.fail(ISSUES.HIERA_NO_PROVIDER_FOR_BACKEND({ name: backend }), config.findLine(`[^\\w]${backend}(?:[^\\w]|$)`));
}
