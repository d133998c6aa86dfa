import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyInAws, namesInAws, rowInAws, usualValue } from '../../shared/config/read-setting.ts';
import { parseSetting, type SettingRow } from '../../shared/config/setting-row.ts';
import type { NameInAws, SettingValues } from '../../shared/config/settings.ts';

type Given = Readonly<Record<string, unknown>>;

/** Containers of a service at least and at most. */
export interface ContainerCounts {
  readonly min: number;
  readonly max: number;
}

/** Takes settings out of a map one by one. A setting that is left at the end is unknown. */
export class SettingsReader {
  /** Key of the map in the context: `understudy:settings`. */
  readonly key: string;
  readonly #given: Map<string, unknown>;
  readonly #place: string;

  /** `place`: the setting that holds the map, with a dot; empty for all of them. */
  constructor(key: string, given: unknown, place = '') {
    this.key = key;
    this.#place = place;
    this.#given = new Map(Object.entries(this.#parseMap(given)));
  }

  take(name: string): unknown {
    const value = this.#given.get(name);
    this.#given.delete(name);
    return value;
  }

  has(name: string): boolean {
    return this.#given.get(name) !== undefined;
  }

  /** Reads all settings by `read`. Throws an Error that names one that is left. */
  readAll<T>(read: (reader: SettingsReader) => T): T {
    const settings = read(this);
    const [other] = this.#given.keys();
    if (other !== undefined) throw this.invalid(other, 'is not a setting');
    return settings;
  }

  /** Reads all settings inside a setting; none when it is missing. */
  readMap<T>(name: string, read: (reader: SettingsReader) => T): T {
    return new SettingsReader(this.key, this.take(name), `${this.#place}${name}.`).readAll(read);
  }

  /** Reads all settings inside a setting if it is there. */
  readOptionalMap<const N extends string, T>(name: N, read: (reader: SettingsReader) => T): { readonly [K in N]?: T } {
    return this.readOptional(name, () => this.readMap(name, read));
  }

  /** Reads a setting by `read` if it is there. */
  readOptional<const N extends string, T>(
    name: N,
    read: (reader: SettingsReader, name: string) => T,
  ): { readonly [K in N]?: T } {
    if (!this.has(name)) return {};
    // The key is the name that was asked for.
    return { [name]: read(this, name) } as { readonly [K in N]?: T };
  }

  readNumber(name: string, least: number, most: number, usual: number): number {
    const value = this.take(name) ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw this.invalid(name, `must be a whole number from ${least} to ${most}`);
  }

  readFlag(name: string, usual = false): boolean {
    const value = this.take(name) ?? usual;
    if (typeof value === 'boolean') return value;
    throw this.invalid(name, 'must be true or false');
  }

  readText(name: string): string {
    const value = this.take(name);
    if (typeof value === 'string' && value !== '') return value;
    throw this.invalid(name, 'must be a non-empty string');
  }

  /** A text that matches `form`, which `what` describes. */
  readForm(name: string, form: RegExp, what: string): string {
    const value = this.readText(name);
    if (form.test(value)) return value;
    throw this.invalid(name, `must be ${what}`);
  }

  /** A list of texts; empty when it is missing. */
  readTexts(name: string): readonly string[] {
    const value = this.take(name) ?? [];
    if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')) return value;
    throw this.invalid(name, 'must be a list of non-empty strings');
  }

  /** A map of texts; empty when it is missing. */
  readTextMap(name: string): Readonly<Record<string, string>> {
    return this.readMap(name, (entries) =>
      Object.fromEntries([...entries.#given.keys()].map((key) => [key, entries.readText(key)])),
    );
  }

  /** Resolves a path relative to the folder of `cdk.json`, where the CLI runs. */
  readFile(name: string): string {
    const path = resolve(this.readText(name));
    if (existsSync(path)) return path;
    throw this.invalid(name, `is not a file: ${path}`);
  }

  /** Reads how many containers run: `min` and `max`. */
  readContainers(usual: ContainerCounts): ContainerCounts {
    return this.readMap('containers', (reader) => {
      const min = reader.readNumber('min', 1, 1000, usual.min);
      return { min, max: reader.readNumber('max', min, 1000, Math.max(min, usual.max)) };
    });
  }

  /** All settings of `SETTINGS` that a section of the context has. */
  readSection<S extends 'settings' | 'inventory' | 'orchestrator'>(section: S): Pick<SettingValues, NameInAws<S>> {
    const read = namesInAws(section).map((name) => [name, this.#readRow(keyInAws(name), rowInAws(name))]);
    // Each name has the type of its value.
    return Object.fromEntries(read) as Pick<SettingValues, NameInAws<S>>;
  }

  /** An error that names the setting; the map itself if `name` is empty. */
  invalid(name: string, what: string): Error {
    const full = name === '' ? this.#place.slice(0, -1) : this.#place + name;
    return new Error(`Context ${this.key}: ${full === '' ? 'it' : `'${full}'`} ${what}`);
  }

  #readRow(key: string, row: SettingRow): unknown {
    if (!this.has(key)) return usualValue(row);
    if (row.kind === 'text' && row.of === 'file') return this.readFile(key);
    if (row.kind === 'flag' || row.kind === 'boolean') return this.readFlag(key);
    const value = this.take(key);
    const text = typeof value === (row.kind === 'number' ? 'number' : 'string') ? String(value) : '';
    try {
      return parseSetting(row, text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw this.invalid(key, error.message);
    }
  }

  /** `-c` passes JSON as text. */
  #parseMap(value: unknown): Given {
    if (value === undefined) return {};
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read };
    throw this.invalid('', 'must be an object');
  }
}
