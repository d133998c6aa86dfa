/** puppetlabs-stdlib's functions that print or parse data. Follows its lib/puppet/functions. */
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { parseHocon } from '../../serialization/hocon.ts';
import { parseJson } from '../../serialization/json.ts';
import { parseYaml } from '../../serialization/yaml.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { defineValueFunction, refuse } from './legacy-value-function.ts';
import { type PrettyOptions, printPrettyJson } from './pretty-json.ts';
import { printToml } from './toml.ts';

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
