import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { parse as parseToml, TomlError } from 'smol-toml';
import { parseYaml, YamlLoadError } from '../puppet/serialization/yaml.ts';
import { PuppetHash } from '../puppet/types/values/puppet-hash.ts';

/** A setting of a file or an environment variable cannot be used; the message says which. */
export class InvalidSetting extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidSetting';
  }
}

const PREFIX = 'UNDERSTUDY_';

/**
 * Reads a configuration file as arguments of the command: YAML, or TOML where its name ends in
 * `.toml`, with the names of options as keys (`control-repo: /srv/code`). A flag is `true` or
 * `false`. Throws InvalidSetting.
 */
export function readConfigFile(file: string, command: Command): readonly string[] {
  return [...parseFile(file)].flatMap(([key, value]) => {
    const option = command.options.find(({ long }) => long === `--${key}` && key !== 'config');
    if (option === undefined) throw new InvalidSetting(`${file}: there is no setting '${String(key)}'`);
    return argumentsOf(option, value, `${file}: '${String(key)}'`);
  });
}

/**
 * Reads environment variables as arguments of the command: `UNDERSTUDY_CONTROL_REPO` for
 * `--control-repo`. Those that are no option are for others. Throws InvalidSetting.
 */
export function readSettingVariables(
  variables: Readonly<Record<string, string | undefined>>,
  command: Command,
): readonly string[] {
  return command.options.flatMap((option) => {
    const name = `${PREFIX}${option.long?.slice(2).replaceAll('-', '_').toUpperCase()}`;
    const text = variables[name];
    if (text === undefined || text === '') return [];
    const value = /^(true|false)$/.test(text) && !option.required ? text === 'true' : text;
    return argumentsOf(option, value, name);
  });
}

/** The file that the arguments or the variable name; null for none. */
export function findConfigFile(
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): string | null {
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  if (at < 0) return variables[`${PREFIX}CONFIG`] || null;
  return args[at]?.startsWith('--config=') ? (args[at]?.slice('--config='.length) ?? null) : (args[at + 1] ?? null);
}

function parseFile(file: string): Iterable<readonly [unknown, unknown]> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidSetting(`--config: '${file}' cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return file.endsWith('.toml') ? parseTomlSettings(text, file) : parseYamlSettings(text, file);
}

function parseTomlSettings(text: string, file: string): Iterable<readonly [string, unknown]> {
  try {
    return Object.entries(parseToml(text, { integersAsBigInt: 'asNeeded' }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines that follow show the place.
    const [what = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new InvalidSetting(`--config: (${file}): ${what} at line ${error.line} column ${error.column}`);
  }
}

function parseYamlSettings(text: string, file: string): PuppetHash {
  try {
    const found = parseYaml(text, { file }) ?? new PuppetHash();
    if (found instanceof PuppetHash) return found;
  } catch (error) {
    if (error instanceof YamlLoadError) throw new InvalidSetting(`--config: ${error.message}`);
    throw error;
  }
  throw new InvalidSetting(`${file}: settings are a hash, such as 'port: 8140'`);
}

function argumentsOf(option: Option, value: unknown, where: string): readonly string[] {
  const { long = '', required } = option;
  if (typeof value === 'boolean' && !required) return value ? [long] : [];
  if (option.isBoolean()) throw new InvalidSetting(`${where} must be true or false`);
  // YAML reads `off` and `true` as booleans, also where they are words.
  const words = typeof value === 'boolean' ? [String(value), value ? 'on' : 'off'] : [];
  const word = words.find((one) => option.argChoices?.includes(one));
  if (word !== undefined) return [`${long}=${word}`];
  const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (typeof one === 'string' || typeof one === 'number' || typeof one === 'bigint') return String(one);
    throw new InvalidSetting(`${where} must be a text or a number`);
  });
  return [`${long}=${texts.join(',')}`];
}
