import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { parse as parseToml, TomlError } from 'smol-toml';
import { ENVIRONMENT_VARIABLES } from '../config/deployment.ts';
import { parseYaml, YamlLoadError } from '../puppet/serialization/yaml.ts';
import { PuppetHash } from '../puppet/types/values/puppet-hash.ts';
import { hideLogins } from '../util/hide-logins.ts';
import { NamedError } from '../util/named-error.ts';
import { suggestSimilar } from '../util/suggest-similar.ts';

/** A setting of a file or an environment variable cannot be used; the message says which. */
export class InvalidSetting extends NamedError {}

/** A setting as arguments of the command, and where it is. */
interface PlacedSetting {
  /** The option, `--port`. */
  readonly option: string;
  readonly args: readonly string[];
  /** `/etc/server.yaml:3: port`, or the name of the variable. */
  readonly place: string;
}

const PREFIX = 'UNDERSTUDY_';
/** Variables of tests, of Ruby processes and of tasks. */
const FOREIGN = /^UNDERSTUDY_(?:TEST|EYAML|TASK|PUPPET|API|INVENTORY)_/;

/**
 * Reads a configuration file as arguments of the command: YAML, or TOML where its name ends in
 * `.toml`, with the names of options as keys (`control-repo: /srv/code`). A flag is `true` or
 * `false`. Throws InvalidSetting, whose message has the file and the line.
 */
export function readConfigFile(file: string, command: Command): readonly PlacedSetting[] {
  const text = readText(file);
  const settings = file.endsWith('.toml') ? parseTomlSettings(text, file) : parseYamlSettings(text, file);
  const known = command.options.flatMap(({ long }) => (long === '--config' ? [] : (long?.slice(2) ?? [])));
  return [...settings].map(([key, value]) => {
    const name = String(key);
    const lines = findLines(text, name);
    const where = `${file}${lines[0] === undefined ? '' : `:${lines[0]}`}`;
    const option = command.options.find(({ long }) => long === `--${name}` && name !== 'config');
    if (option === undefined) {
      throw new InvalidSetting(`${where}: there is no setting '${name}'${suggestSimilar(name, known)}`);
    }
    if (lines[1] !== undefined) {
      throw new InvalidSetting(`${file}:${lines[1]}: ${name} is set twice, first in line ${lines[0]}`);
    }
    return settingOf(option, value, `${where}: ${name}`);
  });
}

/**
 * Reads environment variables as arguments of the command: `UNDERSTUDY_CONTROL_REPO` for
 * `--control-repo`. Those that are no option are for others. Throws InvalidSetting.
 */
export function readSettingVariables(
  variables: Readonly<Record<string, string | undefined>>,
  command: Command,
): readonly PlacedSetting[] {
  return command.options.flatMap((option) => {
    const name = variableOf(option);
    const text = variables[name];
    if (text === undefined || text === '') return [];
    const value = /^(true|false)$/.test(text) && !option.required ? text === 'true' : text;
    return [settingOf(option, value, name)];
  });
}

/** Variables with our prefix that nothing reads, each in a sentence with the one that is near. */
export function findUnknownVariables(
  variables: Readonly<Record<string, string | undefined>>,
  command: Command,
): readonly string[] {
  const known = command.options.map(variableOf);
  const others: readonly string[] = Object.values(ENVIRONMENT_VARIABLES);
  return Object.keys(variables)
    .filter((name) => name.startsWith(PREFIX) && !FOREIGN.test(name))
    .filter((name) => !known.includes(name) && !others.includes(name))
    .map((name) => `there is no setting ${name}${suggestSimilar(name, known)}`);
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

function variableOf({ long }: Option): string {
  return `${PREFIX}${long?.slice(2).replaceAll('-', '_').toUpperCase()}`;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const fault = isMissing
      ? 'It does not exist.'
      : `It cannot be read: ${error instanceof Error ? error.message : error}`;
    throw new InvalidSetting(`option '--config <file>' argument '${file}' is invalid. ${fault}`);
  }
}

function parseTomlSettings(text: string, file: string): Iterable<readonly [string, unknown]> {
  try {
    return Object.entries(parseToml(text, { integersAsBigInt: 'asNeeded' }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines that follow show the place.
    const [what = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new InvalidSetting(`${file}:${error.line}: ${what}`);
  }
}

function parseYamlSettings(text: string, file: string): PuppetHash {
  try {
    const found = parseYaml(text, { file }) ?? new PuppetHash();
    if (found instanceof PuppetHash) return found;
  } catch (error) {
    if (!(error instanceof YamlLoadError)) throw error;
    const [, what = error.message, line] = /^\(.*?\): (.*) at line (\d+) column \d+$/s.exec(error.message) ?? [];
    throw new InvalidSetting(`${file}${line === undefined ? '' : `:${line}`}: ${what}`);
  }
  throw new InvalidSetting(`${file}: settings are a hash, such as 'port: 8140'`);
}

/** The lines in which a key of the outermost level stands; none when it is written in braces. */
function findLines(text: string, name: string): readonly number[] {
  return text.split('\n').flatMap((line, index) => {
    const [, key] = /^\[?["']?([\w-]+)["']?\]?\s*(?:[:=]|$)/.exec(line) ?? [];
    return key === name ? [index + 1] : [];
  });
}

/** Throws InvalidSetting for a value that the option refuses. */
function settingOf(option: Option, value: unknown, place: string): PlacedSetting {
  const { long = '' } = option;
  return { option: long, args: argumentsOf(option, value, place), place };
}

function argumentsOf(option: Option, value: unknown, place: string): readonly string[] {
  const { long = '', required } = option;
  const refuse = (hint: string): never => {
    const shown = hideLogins(typeof value === 'string' ? value : printValue(value));
    throw new InvalidSetting(`${place} '${shown}' is invalid. ${hint}`);
  };
  if (typeof value === 'boolean' && !required) return value ? [long] : [];
  if (option.isBoolean()) return refuse('It must be true or false.');
  // YAML reads `off` and `true` as booleans, also where they are words.
  const words = typeof value === 'boolean' ? [String(value), value ? 'on' : 'off'] : [];
  const word = words.find((one) => option.argChoices?.includes(one));
  if (word !== undefined) return [`${long}=${word}`];
  const isList = Array.isArray(value);
  if (isList && !takesList(option)) return refuse('It must be a text or a number, not a list.');
  const texts = (isList ? value : [value]).map((one: unknown) => {
    if (typeof one === 'string' || typeof one === 'number' || typeof one === 'bigint') return String(one);
    return refuse('It must be a text or a number.');
  });
  try {
    option.parseArg?.(texts.join(','), undefined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    refuse(error.message);
  }
  return option.variadic ? [long, ...texts] : [`${long}=${texts.join(',')}`];
}

/** Whether the option's flags name several values. */
function takesList({ variadic, flags }: Option): boolean {
  return variadic || flags.endsWith('<names>');
}

function printValue(value: unknown): string {
  if (value instanceof PuppetHash) return 'a hash';
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)) ?? String(value);
}
