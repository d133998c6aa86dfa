/**
 * puppetlabs-stdlib's functions for texts. Follows its lib/puppet/parser/functions and
 * lib/puppet/functions.
 */

import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { BytesText, restoreBytes } from '../../types/values/bytes-text.ts';
import { escapeRegexp } from '../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

/** Defines a function of a text, or of each text in an array. */
function defineOverTexts(name: string, change: (text: string) => string): PuppetFunction {
  return defineValueFunction(name, (args) => {
    checkCount(name, args, 1, Number.POSITIVE_INFINITY);
    const [value] = args;
    if (typeof value === 'string') return change(value);
    if (!Array.isArray(value)) return refuse(`${name}(): Requires either array or string to work with`);
    return value.map((item: Value) => (typeof item === 'string' ? change(item) : item));
  });
}

export const swapcase = defineOverTexts('swapcase', (text) =>
  Array.from(text, (char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())).join(''),
);

export const regexpescape = defineOverTexts('regexpescape', escapeRegexp);

// Puppet: URI::DEFAULT_PARSER.escape keeps reserved characters, and escapes `%` unless two
// hexadecimal digits follow.
export const uriescape = defineOverTexts('uriescape', (text) =>
  text.replace(/%(?![0-9a-fA-F]{2})|[^\-_.!~*'()a-zA-Z\d;/?:@&=+$,[\]%]/gu, percentEncoded),
);

/** `uriescape` of stdlib 9, which rejects it since Puppet 8. */
export function defineRefusedUriescape(): PuppetFunction {
  return defineValueFunction('uriescape', () =>
    refuse('Puppet: This function is not available in Puppet 8. URI.escape no longer exists as of Ruby 3+.'),
  );
}

function percentEncoded(char: string): string {
  return Array.from(Buffer.from(char, 'utf8'), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );
}

/**
 * Parses a character set of Ruby's `String#tr` and `#count`: `a-c` is a range, a leading `^`
 * negates the set.
 */
function characterSet(text: string): (char: string) => boolean {
  const isNegated = text.length > 1 && text.startsWith('^');
  const ranges = [...(isNegated ? text.slice(1) : text).matchAll(/\\([\s\S])|([\s\S])-([\s\S])|([\s\S])/gu)];
  const has = (char: string): boolean =>
    ranges.some(([, escaped, from, to, plain]) =>
      from !== undefined && to !== undefined ? from <= char && char <= to : char === (escaped ?? plain),
    );
  return (char) => has(char) !== isNegated;
}

export const squeeze = defineValueFunction('squeeze', (args) => {
  const message = `squeeze(): Wrong number of arguments given ${args.length} for 2 or 1`;
  checkCount('squeeze', args, 1, 2, message);
  const [value = null, only] = args;
  const wanted = only === undefined ? null : characterSet(rubyToS(only));
  const change = (text: Value) =>
    rubyToS(text).replace(/(.)\1+/gsu, (run, char: string) => (wanted === null || wanted(char) ? char : run));
  return Array.isArray(value) ? value.map(change) : change(value);
});

/** Defines a function of one text; other values are converted with Ruby's `to_s`. */
function defineOverAny(name: string, change: (text: string) => string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [{ params: ['Any string'], body: (_, [value = null]) => change(printText(value)) }],
  });
}

function printText(value: Value): string {
  return value instanceof Sensitive ? String(value) : rubyToS(value);
}

export function defineShellEscape(name: string): PuppetFunction {
  return defineOverAny(name, shellEscape);
}

/** Ruby's `Shellwords.escape`. */
function shellEscape(text: string): string {
  if (text === '') return "''";
  return text.replace(/[^A-Za-z0-9_\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}

export function defineBatchEscape(name: string): PuppetFunction {
  return defineOverAny(name, (text) => `"${text.replaceAll('"', '""').replace(/[$\\]/g, '\\$&')}"`);
}

export function definePowershellEscape(name: string): PuppetFunction {
  return defineOverAny(name, (text) => text.replace(/["]|[ '`|\n$]/g, (char) => (char === '"' ? '\\`"' : `\`${char}`)));
}

export const shellJoin = defineValueFunction('shell_join', (args) => {
  checkCount('shell_join', args, 1, 1);
  const [array = null] = args;
  if (!Array.isArray(array)) return refuse(`First argument is not an Array: ${inspectRuby(array)}`);
  return array.map((item: Value) => shellEscape(rubyToS(item))).join(' ');
});

export const shellSplit = defineValueFunction('shell_split', (args) => {
  checkCount('shell_split', args, 1, 1);
  return splitWords(rubyToS(args[0] ?? null));
});

/** Ruby's `Shellwords.split`. A word starts as bytes, which an ASCII word stays. */
function splitWords(line: string): Value[] {
  const words: Value[] = [];
  let field = '';
  const token = /\s*(?:([^\0\s\\'"]+)|'([^\0']*)'|"((?:[^\0"\\]|\\[^\0])*)"|(\\[^\0]?)|(\S))(\s?)/g;
  for (const match of line.matchAll(token)) {
    const [whole, word, single, double, backslash, garbage, separator] = match;
    if (garbage !== undefined) return refuse(`Unmatched quote: ${inspectRuby(line)}`);
    field += word ?? single ?? double?.replace(/\\([$`"\\\n])/g, '$1') ?? backslash?.replace(/\\(.)/, '$1') ?? '';
    if (separator === '' && match.index + whole.length < line.length) continue;
    words.push(restoreBytes(field, true));
    field = '';
  }
  return words;
}

function lineEnds(name: string, change: (text: string) => string): PuppetFunction {
  return defineValueFunction(
    name,
    ([text = null]) => (typeof text === 'string' ? change(text) : refuse(`${name}(): Requires string as argument`)),
    1,
  );
}

export const dos2unix = lineEnds('dos2unix', (text) => text.replaceAll('\r\n', '\n'));
export const unix2dos = lineEnds('unix2dos', (text) => text.replace(/\r*\n/g, '\r\n'));

/** Defines a function that tests for one of several prefixes or suffixes. */
function defineAffixTest(
  name: string,
  parameter: string,
  test: (text: string, affix: string) => boolean,
): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['String test_string', `Variant[String[1],Array[String[1], 1]] ${parameter}`],
        returns: 'Boolean',
        body: (_, [text, affixes]) =>
          (Array.isArray(affixes) ? affixes : [affixes]).some((affix) => test(String(text), String(affix))),
      },
    ],
  });
}

export const startWith = defineAffixTest('stdlib::start_with', 'prefixes', (text, affix) => text.startsWith(affix));
export const endWith = defineAffixTest('stdlib::end_with', 'suffixes', (text, affix) => text.endsWith(affix));

export const xmlEncode = defineFunction('stdlib::xml_encode', {
  dispatches: [
    {
      params: ['String str', "?Enum['text','attr'] type"],
      returns: 'String',
      body: (_, [text, type]) => {
        const escaped = String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
        return type === 'attr' ? `"${escaped.replaceAll('"', '&quot;')}"` : escaped;
      },
    },
  ],
});

export const base64 = defineValueFunction('base64', (args) => {
  const message = `base64(): Wrong number of arguments (${args.length}; must be >= 2)`;
  checkCount('base64', args, 2, Number.POSITIVE_INFINITY, message);
  const [action, text, method = 'default'] = args;
  if (action !== 'encode' && action !== 'decode') {
    return refuse("base64(): the first argument must be one of 'encode' or 'decode'");
  }
  if (typeof text !== 'string') return refuse('base64(): the second argument must be a string to base64');
  if (method !== 'default' && method !== 'strict' && method !== 'urlsafe') {
    return refuse("base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'");
  }
  return action === 'encode' ? encode(text, method) : decode(text, method);
});

function encode(text: string, method: string): string {
  const strict = Buffer.from(text, 'utf8').toString('base64');
  if (method === 'urlsafe') return strict.replaceAll('+', '-').replaceAll('/', '_');
  return method === 'strict' ? strict : strict.replace(/.{1,60}/g, '$&\n');
}

function decode(text: string, method: string): Value {
  const valid = method === 'urlsafe' ? /^[-\w]*={0,2}$/ : /^[A-Za-z0-9+/]*={0,2}$/;
  const malformed = !valid.test(text) || (method === 'strict' && text.length % 4 !== 0);
  if (method !== 'default' && malformed) return refuse('invalid base64');
  return BytesText.fromBytes(Buffer.from(text, method === 'urlsafe' ? 'base64url' : 'base64'));
}
