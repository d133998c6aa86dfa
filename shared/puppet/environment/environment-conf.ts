import { posix } from 'node:path';
import type { LogEntry } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import type { Language } from '../levels/language.ts';
import type { EnvironmentSettings } from './environment.ts';
import type { EnvironmentPlace } from './environment-place.ts';
import { InterpolatedSettings } from './interpolated-settings.ts';

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
 * the file does not exist. Entries of the modulepath may be globs. Warns about unknown settings and
 * sections, and about `$environment` where it has no value. Throws PuppetError with file and line
 * when the text cannot be read.
 */
export function parseEnvironmentConf(text: string | null, file: string, place: EnvironmentPlace): EnvironmentConf {
  const { settings, sections, names } = readSettings(text ?? '', file);
  const values = new InterpolatedSettings(place, file, ownValues(settings, place));
  const modulepath = values.find('modulepath') ?? '';
  const manifest = values.find('manifest') ?? '';
  return {
    modulepath: splitPath(modulepath).map((path) => posix.resolve('/', path)),
    manifest: posix.resolve('/', manifest),
    settings: {
      configVersion: settings.has('config_version') ? values.find('config_version') : null,
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
        values.warnings,
      ),
  };
}

/** The settings of the file before anything is put in; paths in them are absolute. */
function ownValues(settings: ReadonlyMap<string, Setting>, { root, baseModulepath }: EnvironmentPlace) {
  const [modulepath, manifest, version] = ['modulepath', 'manifest', 'config_version'].map((name) =>
    settings.get(name),
  );
  const entries = modulepath
    ? splitPath(modulepath.value).map((entry) => toAbsolute(entry, root))
    : [posix.join(root, 'modules'), ...baseModulepath];
  return {
    // Puppet: a glob finds files before `$name` in it has a value, and so nothing.
    modulepath: {
      value: entries.filter((entry) => !(GLOB.test(entry) && entry.includes('$'))).join(':'),
      line: modulepath?.line ?? null,
    },
    manifest: { value: toAbsolute(manifest?.value ?? 'manifests', root), line: manifest?.line ?? null },
    config_version: { value: version ? toAbsolute(version.value, root) : '', line: version?.line ?? null },
    ...Object.fromEntries([...settings].filter(([name]) => AS_WRITTEN.includes(name))),
  };
}

/** Settings of the file whose text other settings may name. */
const AS_WRITTEN = ['environment_timeout', 'environment_data_provider', 'static_catalogs', 'rich_data'];
/** A path with one of these is a glob. */
const GLOB = /[*?[{]/;

/** Ruby: String#split leaves out empty parts at the end. */
function splitPath(path: string): readonly string[] {
  const trimmed = path.replace(/:+$/, '');
  return trimmed === '' ? [] : trimmed.split(':');
}

function toAbsolute(path: string, root: string): string {
  return path.startsWith('$') ? path : posix.resolve(root, path);
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

// Differs from Puppet: a byte order mark at the start of the file is skipped; Puppet refuses the
// file.
function readSettings(text: string, file: string): ReadSettings {
  const settings = new Map<string, Setting>();
  const sections = new Set<string>();
  const names: string[] = [];
  let section = 'main';
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = raw.replace(/\r$/, '');
    const heading = /^[ \t\r\f\v]*\[([\p{L}\p{N}_]+)\][ \t\r\f\v]*$/u.exec(line);
    const setting = /^[ \t\r\f\v]*([\p{L}\p{N}_]+)[ \t\r\f\v]*=[ \t\r\f\v]*(.*?)[ \t\r\f\v]*$/u.exec(line);
    if (heading) {
      section = heading[1] ?? '';
      if (section !== 'main') sections.add(section);
    } else if (setting) {
      const [, name = '', value = ''] = setting;
      const read = withoutFileOptions(unquote(value), { file, line: index + 1 });
      if (section !== 'main') continue;
      names.push(name);
      if (!settings.has(name)) settings.set(name, { value: read, line: index + 1 });
    } else if (!/^[ \t\r\f\v]*(#.*)?$/.test(line)) {
      throw new PuppetError(ISSUES.UNMATCHED_SETTING_LINE({ line }), { file, line: index + 1 });
    }
  }
  return { settings, sections: [...sections], names };
}

/**
 * A value without its first braces, in which Puppet expects owner, group and mode of a file; other
 * braces are an error. Puppet: extract_fileinfo, lib/puppet/settings/config_file.rb
 */
function withoutFileOptions(value: string, location: SourceLocation): string {
  const [braces, options = ''] = /\{\s*([^}]+)\s*\}/.exec(value) ?? [];
  if (braces === undefined) return value;
  for (const option of options.split(/\s*,\s*/)) {
    const [, name, content = ''] = /^\s*(\w+)\s*=\s*(\w+)\s*$/.exec(option) ?? [];
    if (name === undefined) throw new PuppetError(ISSUES.UNPARSABLE_FILE_OPTIONS({ value }), location);
    if (!['owner', 'mode', 'group'].includes(name))
      throw new PuppetError(ISSUES.INVALID_FILE_OPTION({ name }), location);
    if (name === 'mode' && !/^\d+$/.test(content)) throw new PuppetError(ISSUES.INVALID_FILE_MODE(), location);
  }
  return value.replace(braces, '').replace(/\s*$/, '');
}

function listWarnings(
  file: string,
  sections: readonly string[],
  unknown: readonly string[],
  plain: readonly string[],
): LogEntry[] {
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
  return [...texts.map((text) => `${text}\n   (file & line not available)`), ...plain].map((message) => ({
    level: 'warning',
    message,
  }));
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
