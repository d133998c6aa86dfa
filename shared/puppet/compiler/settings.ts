import { posix } from 'node:path';
import { settingDefaults } from '../environment/setting-defaults.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import { userAgentOf } from '../levels/language.ts';
import type { Value } from '../types/values/values.ts';

/** Returns the settings for `$settings::name`: Puppet's defaults and the values of this compile. */
export function settingsOf({ settings, language, environment }: CompileContext): ReadonlyMap<string, Value> {
  const code = posix.dirname(posix.dirname(environment.root));
  const { configVersion, environmentTimeout, staticCatalogs, richData, dataProvider } = environment.configuration;
  const values = new Map<string, Value>([
    ...settingDefaults(settings.texts),
    ...Object.entries(language.settingDefaults),
    ['http_user_agent', userAgentOf(language)],
    ['disable_warnings', settings.disableWarnings ?? []],
    ['environment', environment.name],
    ['environmentpath', posix.dirname(environment.root)],
    ['codedir', code],
    ['basemodulepath', posix.join(code, 'modules')],
    ['modulepath', environment.modulepath.join(':')],
    ['manifest', environment.manifest ?? ''],
    ['strict', settings.strict],
    ['strict_variables', settings.strictVariables],
    ['storeconfigs', settings.storeconfigs],
    ['tasks', settings.tasks],
    ...toEntries('config_version', configVersion),
    ...toEntries('environment_timeout', environmentTimeout === null ? null : secondsOf(environmentTimeout)),
    ...toEntries('static_catalogs', staticCatalogs),
    ...toEntries('rich_data', richData),
    ...toEntries('environment_data_provider', dataProvider),
    ...toEntries('catalog_cache_terminus', settings.storeconfigs ? 'store_configs' : null),
  ]);
  for (const name of language.settingsGone) values.delete(name);
  return values;
}

function toEntries(name: string, value: Value): readonly (readonly [string, Value])[] {
  return value === null ? [] : [[name, value]];
}

function secondsOf(seconds: number): Value {
  return Number.isInteger(seconds) ? BigInt(seconds) : seconds;
}
