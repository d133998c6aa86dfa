import { type ConfValues, createConfValues } from './conf-values.ts';
import { type ConfSetting, InvalidPuppetConf, readPuppetConf, selectServerSettings } from './read-puppet-conf.ts';
import { InvalidConfValue, type Translation } from './translation.ts';
import { TRANSLATIONS } from './translations.ts';

/** A setting of a file, and what it is here. */
export interface TranslatedSetting {
  /** Its line or file, its name and its value, as text. */
  readonly place: string;
  readonly translation: Translation;
}

export interface TranslatedConf {
  /** In the order of the file. */
  readonly settings: readonly TranslatedSetting[];
  /** Keys for defaults of that server that differ from ours, with the reason. */
  readonly defaults: readonly { readonly keys: ConfigKeys; readonly reason: string }[];
}

export type ConfigKeys = Readonly<Record<string, string | number | boolean>>;

export interface ConfOrigin {
  /** The name of the file, for messages and for folders beside it. */
  readonly file: string;
  /** The release of Puppet Server whose defaults hold. */
  readonly puppet: '6' | '7' | '8';
  readonly hostname: string;
  readonly hasFile: (path: string) => boolean;
}

/** Translates the text of a puppet.conf. Throws InvalidPuppetConf, which names file and line. */
export function translatePuppetConf(text: string, origin: ConfOrigin): TranslatedConf {
  const read = readPuppetConf(text, origin.file);
  const effective = selectServerSettings(read);
  const values = createConfValues(effective, origin.file, origin.hostname);
  return {
    settings: read.map((setting) => ({
      place: `line ${setting.line}: ${setting.name} = ${setting.value}`,
      translation: translate(setting, effective, values, origin.file),
    })),
    defaults: findDefaults(values, origin),
  };
}

/** The keys of the file for `understudy server --config`. */
export function collectConfigKeys({ settings, defaults }: TranslatedConf): ConfigKeys {
  const given = settings.map(({ translation }) => (translation.kind === 'setting' ? translation.keys : {}));
  return Object.assign({}, ...defaults.map(({ keys }) => keys), ...given);
}

function translate(
  setting: ConfSetting,
  effective: ReadonlyMap<string, ConfSetting>,
  values: ConfValues,
  file: string,
): Translation {
  const { name, section, line } = setting;
  const ignored = (reason: string): Translation => ({ kind: 'ignored', reason });
  if (section === 'agent') return ignored('agents read it, not the server');
  if (section === 'user') return ignored('only `puppet apply` and the like read it');
  const last = effective.get(name);
  if (last !== undefined && last !== setting) return ignored(`line ${last.line} overrides it`);
  const translation = TRANSLATIONS.get(name);
  if (translation === undefined) return ignored('nothing here has this name');
  try {
    return translation(values.read(name), values);
  } catch (error) {
    throw error instanceof InvalidConfValue ? new InvalidPuppetConf(error.message, file, line) : error;
  }
}

function findDefaults(values: ConfValues, { puppet, hasFile }: ConfOrigin): TranslatedConf['defaults'] {
  const isUnset = (name: string) => values.find(name) === null;
  const isEarlier = puppet !== '8';
  const ifFile = (name: string, key: string) => {
    if (!isUnset(name) || !hasFile(values.read(name))) return [];
    return [{ keys: { [key]: values.read(name) }, reason: `${name} is this file by default` }];
  };
  return [
    ...(isUnset('environmentpath') && isUnset('codedir')
      ? [{ keys: { 'control-repo': values.read('codedir') }, reason: 'codedir is this folder by default' }]
      : []),
    ...(isUnset('bindaddress')
      ? [{ keys: { host: '0.0.0.0' }, reason: 'a Puppet Server listens on all addresses' }]
      : []),
    ...(isEarlier && isUnset('strict')
      ? [{ keys: { strict: 'warning' }, reason: `Puppet ${puppet} has strict=warning by default` }]
      : []),
    ...(isEarlier && isUnset('strict_variables')
      ? [{ keys: { 'strict-variables': false }, reason: `Puppet ${puppet} has strict_variables=false by default` }]
      : []),
    ...ifFile('autosign', 'autosign'),
    ...ifFile('trusted_oid_mapping_file', 'trusted-oid-mapping'),
  ];
}
