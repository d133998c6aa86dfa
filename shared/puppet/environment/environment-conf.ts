import { posix } from 'node:path';
import type { LogEntry } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Language } from '../levels/language.ts';
import type { EnvironmentSettings } from './environment.ts';

/**
 * The location of an environment, from which environment.conf resolves variables and relative
 * paths.
 */
export interface EnvironmentPlace {
  readonly name: string;
  /** The environment's folder. */
  readonly root: string;
  /** The code directory. */
  readonly codeDirectory: string;
  /** Module folders that all environments share (`$basemodulepath`). */
  readonly baseModulepath: readonly string[];
}

export interface EnvironmentConf {
  readonly modulepath: readonly string[];
  readonly manifest: string;
  readonly settings: EnvironmentSettings;
  /** The warnings about what a level does not know. */
  readonly listMessages: (language: Language) => readonly LogEntry[];
}

const KNOWN_SETTINGS = new Set([
  'modulepath',
  'manifest',
  'config_version',
  'environment_timeout',
  'environment_data_provider',
  'static_catalogs',
  'rich_data',
]);

interface Setting {
  readonly value: string;
  readonly line: number;
}

/**
 * Parses an environment.conf as lib/puppet/settings/environment_conf.rb does. `text` is null when
 * the file does not exist. Warns about unknown settings and sections. Throws PuppetError with file
 * and line when the text cannot be read.
 */
export function parseEnvironmentConf(text: string | null, file: string, place: EnvironmentPlace): EnvironmentConf {
  const { settings, sections, names } = readSettings(text ?? '', file);
  const paths = new PathReader(place, file);
  const modulepath = settings.get('modulepath');
  const manifest = settings.get('manifest');
  const configVersion = settings.get('config_version');
  return {
    modulepath: modulepath
      ? modulepath.value.split(':').flatMap((entry) => paths.expand(entry, modulepath.line).split(':'))
      : [posix.join(place.root, 'modules'), ...place.baseModulepath],
    manifest: manifest ? paths.expand(manifest.value, manifest.line) : posix.join(place.root, 'manifests'),
    settings: {
      configVersion: configVersion ? paths.expand(configVersion.value, configVersion.line) : null,
      environmentTimeout: readTimeToLive(settings.get('environment_timeout'), file),
      staticCatalogs: readBoolean(settings.get('static_catalogs')),
      richData: readBoolean(settings.get('rich_data')),
      dataProvider: settings.get('environment_data_provider')?.value ?? null,
    },
    listMessages: (language) =>
      listWarnings(
        file,
        sections,
        names.filter((name) => !isKnown(name, language)),
      ),
  };
}

function isKnown(name: string, { environmentDataProvider }: Language): boolean {
  return KNOWN_SETTINGS.has(name) && (environmentDataProvider || name !== 'environment_data_provider');
}

interface ReadSettings {
  readonly settings: ReadonlyMap<string, Setting>;
  /** Sections other than `main`, which are ignored. */
  readonly sections: readonly string[];
  /** The names of all settings of the file. */
  readonly names: readonly string[];
}

function readSettings(text: string, file: string): ReadSettings {
  const settings = new Map<string, Setting>();
  const sections = new Set<string>();
  const names: string[] = [];
  let section = 'main';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '');
    const heading = /^\s*\[([\p{L}\p{N}_]+)\]\s*$/u.exec(line);
    const setting = /^\s*([\p{L}\p{N}_]+)\s*=\s*(.*?)\s*$/u.exec(line);
    if (heading) {
      section = heading[1] ?? '';
      if (section !== 'main') sections.add(section);
    } else if (setting) {
      const [, name = '', value = ''] = setting;
      if (section !== 'main') continue;
      names.push(name);
      if (!settings.has(name)) settings.set(name, { value: unquote(value), line: index + 1 });
    } else if (!/^\s*(#.*)?$/.test(line)) {
      throw new PuppetError(ISSUES.UNMATCHED_SETTING_LINE({ line }), { file, line: index + 1 });
    }
  }
  return { settings, sections: [...sections], names };
}

function listWarnings(file: string, sections: readonly string[], unknown: readonly string[]): LogEntry[] {
  const texts: string[] = [];
  if (sections.length > 0) {
    texts.push(
      `Invalid sections in environment.conf at '${file}'. Environment conf may not have sections. ` +
        `The following sections are being ignored: '${sections.join(',')}'`,
    );
  }
  if (unknown.length > 0) {
    texts.push(
      `Invalid settings in environment.conf at '${file}'. ` +
        `The following unknown setting(s) are being ignored: ${unknown.join(', ')}`,
    );
  }
  return texts.map((text) => ({ level: 'warning', message: `${text}\n   (file & line not available)` }));
}

// Puppet: quotes are stripped from either end, matched or not, lib/puppet/settings.rb
// (munge_value).
function unquote(value: string): string {
  return value.replace(/^["']/, '').replace(/["']$/, '').replace(/\s+$/, '');
}

function readBoolean(setting: Setting | undefined): boolean | null {
  return setting ? setting.value.toLowerCase() === 'true' : null;
}

const SECONDS: Readonly<Record<string, number>> = { y: 365 * 24 * 3600, d: 24 * 3600, h: 3600, m: 60, s: 1 };

function readTimeToLive(setting: Setting | undefined, file: string): number | null {
  if (!setting) return null;
  if (setting.value === 'unlimited') return Number.POSITIVE_INFINITY;
  const [, count, unit] = /^(\d+)([ydhms])?$/.exec(setting.value) ?? [];
  if (count === undefined) {
    throw new PuppetError(ISSUES.INVALID_TIME_TO_LIVE({ value: setting.value }), {
      file,
      line: setting.line,
    });
  }
  return Number(count) * (SECONDS[unit ?? 's'] ?? 1);
}

/** Makes the paths of a setting absolute and expands variables such as `$basemodulepath`. */
class PathReader {
  readonly #place: EnvironmentPlace;
  readonly #file: string;
  readonly #variables: ReadonlyMap<string, string>;

  constructor(place: EnvironmentPlace, file: string) {
    this.#place = place;
    this.#file = file;
    this.#variables = new Map([
      ['basemodulepath', place.baseModulepath.join(':')],
      ['environment', place.name],
      ['codedir', place.codeDirectory],
      ['environmentpath', posix.join(place.codeDirectory, 'environments')],
    ]);
  }

  expand(value: string, line: number): string {
    const absolute = value.startsWith('$') ? value : posix.resolve(this.#place.root, value);
    return absolute.replace(/\$(\w+)|\$\{(\w+)\}/g, (expression, bare, braced) => {
      const found = this.#variables.get(braced ?? bare);
      if (found === undefined) {
        throw new PuppetError(ISSUES.SETTING_VALUE_NOT_FOUND({ expression }), { file: this.#file, line });
      }
      return found;
    });
  }
}
