/** puppetlabs-stdlib's functions that print or parse data. Follows its lib/puppet/functions. */
import { createHash } from 'node:crypto';
import { crc32 as crc32Of } from 'node:zlib';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { parseHocon } from '../../serialization/hocon.ts';
import { parseJson, printJson } from '../../serialization/json.ts';
import { toRichData } from '../../serialization/to-data.ts';
import { parseYaml } from '../../serialization/yaml.ts';
import { printYaml } from '../../serialization/yaml-emitter.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { LeftToRuby, leaveToRuby } from './left-to-ruby.ts';
import { defineValueFunction, refuse } from './legacy-value-function.ts';
import { type PrettyOptions, printPrettyJson } from './pretty-json.ts';
import { rewrapSensitive } from './sensitive-data.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';
import { printToml } from './toml.ts';

/** Converts values outside JSON to Strings, as Ruby's `to_json` does. */
function jsonData(value: Value): Value {
  if (Array.isArray(value)) return value.map(jsonData);
  if (value instanceof PuppetHash) {
    return PuppetHash.of(Array.from(value, ([key, item]) => [rubyToS(key), jsonData(item)] as const));
  }
  return typeof value === 'object' && value !== null ? rubyToS(value) : value;
}

export function defineToJson(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Any data'],
        body: (_, [data = null]) => rewrapSensitive(data, (plain) => printJson(jsonData(plain))),
      },
    ],
  });
}

const PRETTY_OPTIONS =
  'Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], ' +
  'object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], ' +
  'max_nesting => Optional[Integer[-1,default]]}]';

export function defineToJsonPretty(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Variant[Hash, Array] data', '?Optional[Boolean] skip_undef', `?${PRETTY_OPTIONS} opts`],
        body: (_, [data = null, skip = null, options = null]) =>
          rewrapSensitive(
            data,
            (plain) => `${printPrettyJson(jsonData(skip === true ? compact(plain) : plain), prettyOptions(options))}\n`,
          ),
      },
    ],
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

export function defineToYaml(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Any data', '?Hash options'],
        body: (_, [data = null, options = null]) => {
          const { indentation, sort } = yamlOptions(options);
          return rewrapSensitive(data, (plain) => printYaml(sort ? sortKeys(plain) : plain, indentation));
        },
      },
    ],
  });
}

/** Reads the supported options; Psych has more. */
function yamlOptions(options: Value): { readonly indentation?: number; readonly sort: boolean } {
  const {
    indentation,
    sort_keys: sort = null,
    ...more
  } = Object.fromEntries(options instanceof PuppetHash ? options : []);
  if (Object.keys(more).length > 0) throw new LeftToRuby('to_yaml(): its options need the Ruby of puppetlabs-stdlib');
  if (indentation === undefined) return { sort: sort === true };
  if (typeof indentation !== 'bigint') throw new LeftToRuby('to_yaml(): the indentation is not an Integer');
  return { indentation: Number(indentation), sort: sort === true };
}

function sortKeys(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!(value instanceof PuppetHash)) return value;
  const pairs = [...value].sort(([left], [right]) => (rubyToS(left) < rubyToS(right) ? -1 : 1));
  return PuppetHash.of(pairs.map(([key, item]) => [key, sortKeys(item)] as const));
}

/** Defines a function that prints data as literals of another language. */
function literalFunction(name: string, words: Readonly<Record<string, string>>, arrow: string): PuppetFunction {
  const print = (value: Value): string => {
    if (Array.isArray(value)) return `[${value.map(print).join(', ')}]`;
    if (value instanceof PuppetHash) {
      return `{${Array.from(value, ([key, item]) => `${print(key)}${arrow}${print(item)}`).join(', ')}}`;
    }
    return words[String(value)] !== undefined && typeof value !== 'string'
      ? (words[String(value)] ?? '')
      : inspectRuby(value);
  };
  return defineFunction(name, {
    dispatches: [{ params: ['Any object'], body: (_, [object = null]) => print(toRichData(object)) }],
  });
}

export function defineToPython(name: string): PuppetFunction {
  return literalFunction(name, { true: 'True', false: 'False', null: 'None' }, ': ');
}

export function defineToRuby(name: string): PuppetFunction {
  return literalFunction(name, {}, ' => ');
}

export function defineToToml(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Hash data'],
        returns: 'String',
        body: (_, [data = null]) =>
          rewrapSensitive(data, (plain) => (plain instanceof PuppetHash ? printToml(plain) : '')),
      },
    ],
  });
}

export function defineParseHocon(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['String hocon_string', '?Any default'],
        body: (_, [text, defaultValue]) => {
          try {
            return parseHocon(String(text));
          } catch (error) {
            if (defaultValue !== undefined) return defaultValue;
            throw new PuppetError(error instanceof Error ? error.message : String(error), { cause: error });
          }
        },
      },
    ],
  });
}

const PSON_PARAMS = ['String[1] pson_string', '?Any default'];

/**
 * `parsepson` of stdlib 8. It parses JSON here: Puppet 8 has no PSON, and the module's Ruby fails.
 */
export const parsepson = defineFunction('parsepson', {
  dispatches: [
    {
      params: PSON_PARAMS,
      body: (site, [text, defaultValue]) => {
        warnDeprecated(site, 'parsepson', PSON_IS_DEPRECATED);
        try {
          return parseJson(String(text));
        } catch (error) {
          if (defaultValue !== undefined) return defaultValue;
          throw new PuppetError(error instanceof Error ? error.message : String(error), { cause: error });
        }
      },
    },
  ],
});

const PSON_IS_DEPRECATED =
  'This method is deprecated. From Puppet 8, PSON is no longer natively supported. Please use JSON.parse().';

/**
 * `parsepson` of stdlib 9, which parses nothing with Puppet 8. The default replaces the error that
 * the warning may become.
 */
export function defineUnreadPson(): PuppetFunction {
  return defineFunction('parsepson', {
    dispatches: [
      {
        params: PSON_PARAMS,
        body: (site, [, defaultValue]) => {
          try {
            return warnDeprecated(site, 'parsepson', PSON_IS_DEPRECATED);
          } catch (error) {
            if (defaultValue !== undefined && error instanceof PuppetError) return defaultValue;
            throw error;
          }
        },
      },
    ],
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

/** Defines a function of a value's text, Sensitive or not. */
function digestFunction(name: string, digest: (text: string) => string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] my_data'],
        returns: 'String',
        body: (_, [data = null]) => digest(rubyToS(data instanceof Sensitive ? data.unwrap() : data)),
      },
    ],
  });
}

export const stdlibSha256 = digestFunction('stdlib::sha256', (text) => createHash('sha256').update(text).digest('hex'));
export const crc32 = digestFunction('stdlib::crc32', (text) => crc32Of(text).toString(16));
