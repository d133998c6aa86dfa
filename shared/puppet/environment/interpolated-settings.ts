import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Value } from '../types/values/values.ts';
import type { EnvironmentPlace } from './environment-place.ts';
import { settingDefaults } from './setting-defaults.ts';

/** The settings that environment.conf decides, as other settings see them. */
type OwnSettings = Readonly<Record<string, { readonly value: Value; readonly line: number | null }>>;

/** Defaults of the settings that differ between compiles; an environment is the same for all. */
const OF_COMPILES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['disable_warnings', []],
  ['storeconfigs', false],
  ['strict', 'error'],
  ['strict_variables', true],
  ['tasks', false],
]);

/** The only setting in which `$environment` has a value. */
const KNOWS_ENVIRONMENT = 'config_version';

/**
 * The values of Puppet's settings in an environment, with what is named in them (`$vardir`,
 * `${vardir}`) put in. Puppet: ChainedValues, lib/puppet/settings.rb
 */
export class InterpolatedSettings {
  /** Puppet's warnings about `$environment` in settings that cannot name it. */
  readonly warnings: string[] = [];
  readonly #place: EnvironmentPlace;
  readonly #file: string;
  readonly #own: OwnSettings;
  /** The settings whose values are being made. */
  readonly #open = new Set<string>();

  /** `file`: the environment.conf, for messages. */
  constructor(place: EnvironmentPlace, file: string, own: OwnSettings) {
    this.#place = place;
    this.#file = file;
    this.#own = own;
  }

  /**
   * The value of a setting as a text; null when it has none. Throws PuppetError when it names a
   * setting that does not exist, or itself.
   */
  find(name: string): string | null {
    const own = this.#own[name];
    const value = own ? own.value : this.#findOther(name);
    if (typeof value !== 'string') return value === null ? null : printValue(value);
    return this.#interpolate(name, value, own?.line ?? null);
  }

  #findOther(name: string): Value {
    const { baseModulepath, codeDirectory } = this.#place;
    if (name === 'basemodulepath') return baseModulepath.join(':');
    if (name === 'codedir') return codeDirectory;
    if (name === 'environmentpath') return posix.join(codeDirectory, 'environments');
    if (name === 'run_mode' || name === 'name') return 'server';
    return settingDefaults().get(name) ?? OF_COMPILES.get(name) ?? null;
  }

  #interpolate(name: string, value: string, line: number | null): string {
    const location = { file: this.#file, ...(line !== null && { line }) };
    // Ruby: SystemStackError
    if (this.#open.has(name)) throw new PuppetError('stack level too deep', location);
    this.#open.add(name);
    let isKept = false;
    const text = value.replace(/\$(\w+)|\$\{(\w+)\}/g, (expression, bare, braced) => {
      const other: string = braced ?? bare;
      if (other === 'environment') {
        if (name === KNOWS_ENVIRONMENT) return this.#place.name;
        isKept = true;
        return expression;
      }
      const found = this.find(other);
      if (found === null) throw new PuppetError(ISSUES.SETTING_VALUE_NOT_FOUND({ name, expression }), location);
      return found;
    });
    this.#open.delete(name);
    if (isKept) this.warnings.push(ISSUES.ENVIRONMENT_NOT_INTERPOLATED({ name, value: text }).text);
    return text;
  }
}

/** Ruby's text of a value. */
function printValue(value: Value): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : String(value);
}
