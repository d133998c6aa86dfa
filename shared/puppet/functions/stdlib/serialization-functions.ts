import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { inspectString } from '../../ruby-core/ruby-inspect.ts';
import { compareStrings } from '../../ruby-core/ruby-string.ts';
import { parseHocon } from '../../serialization/hocon.ts';
import { parseJson, printJson } from '../../serialization/json.ts';
import { parseYaml } from '../../serialization/yaml.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { defineValueFunction, refuse } from './legacy-value-function.ts';

/** puppetlabs-stdlib's functions that print or parse data. Follows its lib/puppet/functions. */

/** Converts values outside JSON to Strings, as Ruby's `to_json` does. */
function jsonData(value: Value): Value {
  if (Array.isArray(value)) return value.map(jsonData);
  if (value instanceof PuppetHash) {
    return PuppetHash.of(Array.from(value, ([key, item]) => [rubyToS(key), jsonData(item)] as const));
  }
  return typeof value === 'object' && value !== null ? rubyToS(value) : value;
}

const PRETTY_OPTIONS =
  'Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], ' +
  'object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], ' +
  'max_nesting => Optional[Integer[-1,default]]}]';

export function defineToJsonPretty(name: string): PuppetFunction {
  return defineFunction(name, {
    params: ['Variant[Hash, Array] data', '?Optional[Boolean] skip_undef', `?${PRETTY_OPTIONS} opts`],
    body: (_, [data = null, skip = null, options = null]) =>
      `${printPrettyJson(jsonData(skip === true ? compact(data) : data), prettyOptions(options))}\n`,
  });
}

function compact(data: Value): Value {
  if (Array.isArray(data)) return data.filter((item: Value) => item !== null);
  return data instanceof PuppetHash ? PuppetHash.of([...data].filter(([, value]) => value !== null)) : data;
}

function prettyOptions(options: Value): PrettyOptions {
  const text = (name: string, otherwise: string): string => {
    const given = options instanceof PuppetHash ? options.get(name) : undefined;
    return typeof given === 'string' ? given : otherwise;
  };
  return {
    indent: text('indent', '  '),
    space: text('space', ' '),
    spaceBefore: text('space_before', ''),
    objectLine: text('object_nl', '\n'),
    arrayLine: text('array_nl', '\n'),
  };
}

export function defineToToml(name: string): PuppetFunction {
  return defineFunction(name, {
    params: ['Hash data'],
    returns: 'String',
    body: (_, [data = null]) => (data instanceof PuppetHash ? printToml(data) : ''),
  });
}

export function defineParseHocon(name: string): PuppetFunction {
  return defineFunction(name, {
    params: ['String hocon_string', '?Any default'],
    body: (_, [text, defaultValue]) => {
      try {
        return parseHocon(String(text));
      } catch (error) {
        if (defaultValue !== undefined) return defaultValue;
        throw new PuppetError(error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
  });
}

/**
 * Leaves a text that is rejected here to Ruby, whose library may accept it or words its own error.
 */
function orLeaveToRuby(name: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    return leaveToRuby(name);
  }
}

/** Defines a 3.x function of a text, and of a default for an invalid text. */
function defineParser(name: string, parse: (text: string) => Value): PuppetFunction {
  return defineValueFunction(name, (args) => {
    if (args.length === 0) return refuse('Wrong number of arguments. 1 or 2 arguments should be provided.');
    const [text = null, defaultValue] = args;
    const parsed = orLeaveToRuby(name, () => parse(rubyToS(text)));
    return parsed === null || parsed === false ? (defaultValue ?? null) : parsed;
  });
}

export const parsejson = defineParser('parsejson', parseJson);
export const parseyaml = defineParser('parseyaml', (text) => parseYaml(text, {}) ?? null);

const ADDRESS = /^https?:\/\//;

/**
 * Defines a 3.x function that reads a file of the environment. Other files count as missing.
 * Addresses are left to Ruby, which refuses them by name: it has no network.
 */
function defineLoader(name: string, parse: (text: string) => Value): PuppetFunction {
  return defineValueFunction(
    name,
    (args, site) => {
      const [path = null, defaultValue = null] = args;
      if (ADDRESS.test(rubyToS(path))) return leaveToRuby(name);
      const text = site.context.environment.readText(rubyToS(path));
      if (text === null) {
        const message = `Can't load '${rubyToS(path)}' File does not exist!`;
        site.context.log.add({ level: 'warning', message, source: site.scope.toString() });
        return defaultValue;
      }
      return orLeaveToRuby(name, () => parse(text)) ?? defaultValue;
    },
    -2,
  );
}

export const loadjson = defineLoader('loadjson', parseJson);
export const loadyaml = defineLoader('loadyaml', (text) => parseYaml(text, {}) ?? null);

export function defineShellEscape(name: string): PuppetFunction {
  return defineFunction(name, { params: ['Any string'], body: (_, [value = null]) => shellEscape(printText(value)) });
}

/** Ruby's `Shellwords.escape`. */
function shellEscape(text: string): string {
  if (text === '') return "''";
  return text.replace(/[^A-Za-z0-9_\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}

function printText(value: Value): string {
  return value instanceof Sensitive ? String(value) : rubyToS(value);
}

interface PrettyOptions {
  readonly indent: string;
  readonly space: string;
  readonly spaceBefore: string;
  readonly objectLine: string;
  readonly arrayLine: string;
}

/** Prints data like Ruby's `JSON.pretty_generate`. */
function printPrettyJson(value: Value, options: PrettyOptions, depth = 0): string {
  const inner = options.indent.repeat(depth + 1);
  const outer = options.indent.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return `[${options.arrayLine.repeat(2)}${outer}]`;
    const items = value.map((item: Value) => inner + printPrettyJson(item, options, depth + 1));
    return `[${options.arrayLine}${items.join(`,${options.arrayLine}`)}${options.arrayLine}${outer}]`;
  }
  if (!(value instanceof PuppetHash)) return printJson(value);
  if (value.size === 0) return `{${options.objectLine}${outer}}`;
  const members = [...value].map(
    ([key, item]) =>
      `${inner}${printJson(key)}${options.spaceBefore}:${options.space}${printPrettyJson(item, options, depth + 1)}`,
  );
  return `{${options.objectLine}${members.join(`,${options.objectLine}`)}${options.objectLine}${outer}}`;
}

/**
 * Prints hashes as TOML. Follows the dumper of puppetlabs-stdlib
 * (lib/puppet_x/stdlib/toml_dumper.rb).
 */

function printToml(hash: PuppetHash): string {
  return printTable(hash, []);
}

function printTable(hash: PuppetHash, path: readonly string[]): string {
  const hasOwn = hash.size === 0 || [...hash.values()].some(isSimple);
  return (path.length > 0 && hasOwn ? `[${path.join('.')}]\n` : '') + printPairs(hash, path);
}

/** Prints simple values, then tables, then arrays of tables, each sorted by key. */
function printPairs(hash: PuppetHash, path: readonly string[]): string {
  const entries = [...hash]
    .map(([key, value]) => [rubyToS(key), value] as const)
    .sort(([left], [right]) => compareStrings(left, right));
  return [
    ...entries.map(([key, value]) => (isSimple(value) ? `${keyText(key)} = ${printLiteral(value)}\n` : '')),
    ...entries.map(([key, value]) => (value instanceof PuppetHash ? printTable(value, [...path, keyText(key)]) : '')),
    ...entries.map(([key, value]) => (isTableArray(value) ? tableArray(value, [...path, keyText(key)]) : '')),
  ].join('');
}

function isSimple(value: Value): boolean {
  return !(value instanceof PuppetHash) && !isTableArray(value);
}

function isTableArray(value: Value): value is readonly Value[] {
  return Array.isArray(value) && value[0] instanceof PuppetHash;
}

function tableArray(elements: readonly Value[], path: readonly string[]): string {
  return elements
    .map((element) => `[[${path.join('.')}]]\n${element instanceof PuppetHash ? printPairs(element, path) : ''}`)
    .join('');
}

function keyText(key: string): string {
  return /(?<![^\n])[a-zA-Z0-9_-]*(?![^\n])/.test(key) ? key : `"${key.replaceAll('"', '\\"')}"`;
}

function printLiteral(value: Value): string {
  if (value instanceof Timestamp) return value.format('%FT%TZ');
  if (value instanceof PuppetRegexp) return inspectString(value.inspect());
  return typeof value === 'string' ? inspectString(value).replace(/\\(?=#[$@{])/g, '') : inspectRuby(value);
}
