import type { FactKeeping } from './fact-settings.ts';
import { parseSetting, type SettingRow } from './setting-row.ts';
import { type NameInAws, SETTINGS, type SettingName, type SettingValues } from './settings.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment variable of a setting: `UNDERSTUDY_RING_TURN`. */
export function variableOf(name: SettingName): string {
  return `UNDERSTUDY_${optionOf(name).replaceAll('-', '_').toUpperCase()}`;
}

/** The option of a setting without its dashes, which is its key in a configuration file. */
export function optionOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The row of a setting as it counts in AWS. */
export function rowInAws(name: SettingName): SettingRow {
  const row: SettingRow = SETTINGS[name];
  const { section: _, ...bounds } = row.aws ?? { section: 'settings' };
  return row.kind === 'number' ? { ...row, ...bounds } : row;
}

/**
 * Reads a setting of a deployment in AWS from its variable; the usual value where that is absent or
 * empty. Throws RangeError that names the variable.
 */
export function readSetting<N extends SettingName>(name: N, variables: Variables): SettingValues[N] {
  const row = rowInAws(name);
  const text = variables[variableOf(name)] ?? '';
  try {
    // A row and the type of its value belong together by their name.
    return (text === '' ? usualValue(row) : parseSetting(row, text)) as SettingValues[N];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`${variableOf(name)} ${error.message}, not '${text}'`);
  }
}

/** The value of a row where nothing is given. */
export function usualValue(row: SettingRow): unknown {
  if (row.kind === 'flag' || row.kind === 'textOrFlag') return false;
  return 'usual' in row ? row.usual : undefined;
}

/** The variables of a function in AWS that has these settings. */
export function settingVariables<const N extends SettingName>(
  values: Pick<SettingValues, N>,
  names: readonly N[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [variableOf(name), String(values[name] ?? '')]));
}

/** The names of the settings that a section of the context has. */
export function namesInAws<S extends string>(section: S): readonly NameInAws<S>[] {
  const names = Object.keys(SETTINGS) as SettingName[];
  return names.filter((name): name is NameInAws<S> => (SETTINGS[name] as SettingRow).aws?.section === section);
}

/** The key of a setting in its section: settings of the inventory have no prefix there. */
export function keyInAws(name: SettingName): string {
  return name.replace(/^puppetdb([A-Z])/, (_, first: string) => first.toLowerCase());
}

/** Reads several settings in the same way. */
export function readSettings<const N extends SettingName>(
  names: readonly N[],
  variables: Variables,
): Pick<SettingValues, N> {
  // Each name has the type of its value.
  return Object.fromEntries(names.map((name) => [name, readSetting(name, variables)])) as Pick<SettingValues, N>;
}

/** Reads the variables of the front doors in AWS; null without an inventory. Throws RangeError. */
export function readFactKeeping(variables: Variables): FactKeeping | null {
  if (variables[variableOf('puppetdbFactInterval')] === undefined) return null;
  return factKeepingOf(readSettings(['puppetdbFactInterval', 'puppetdbBlockedFacts'], variables));
}

/** The facts that are kept by the settings. */
export function factKeepingOf({
  puppetdbFactInterval,
  puppetdbBlockedFacts,
}: Pick<SettingValues, 'puppetdbFactInterval' | 'puppetdbBlockedFacts'>): FactKeeping {
  return { intervalMs: puppetdbFactInterval * 1000, blocked: puppetdbBlockedFacts ?? [] };
}
