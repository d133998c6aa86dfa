import { quotePattern } from '../../../../util/literal-pattern.ts';
import { toF, toI } from '../../../ruby-core/ruby-integer.ts';
import { gsubPattern, replacementText, splitByPattern, subPattern } from '../../../ruby-core/ruby-pattern.ts';
import {
  asciiDowncase,
  capitalize,
  chomp,
  chop,
  compareStrings,
  downcase,
  lstrip,
  rstrip,
  strip,
  upcase,
} from '../../../ruby-core/ruby-string.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetRegexp } from '../../../types/values/regexp.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyMatch, RubyRange } from '../objects.ts';
import { argument, index, type MethodCall, noArguments, type RubyMethod, text, textArgument } from '../runtime.ts';
import { boundsOf } from './array-methods.ts';
import { formatText } from './common-methods.ts';
import { matchIndex, matchOf, nativePattern, patternOf } from './regexp-methods.ts';
import { CHARACTER_METHODS } from './string-characters.ts';

type StringMethod = RubyMethod<string>;

const TEXT_LIMIT = 1_000_000;
const SURROGATE = /[\ud800-\udfff]/;
const ASCII = /^\p{ASCII}*$/u;
/** Whose upper and lower case all versions of Unicode agree on. */
const LATIN = /^[\p{ASCII}\u0080-\u00ff]*$/u;

/** A text of which each character is one unit. */
function flat(self: string): string {
  return SURROGATE.test(self) ? fallBack('characters of two units') : self;
}

function plain(method: (self: string) => Value): StringMethod {
  return (self, call) => {
    noArguments(call);
    return method(self);
  };
}

function cased(change: (self: string) => string): StringMethod {
  return plain((self) => (LATIN.test(self) ? change(self) : fallBack('the case of letters')));
}

function element(self: string, { args, block, matches }: MethodCall): Value {
  const [at = null, count] = args;
  if (block || args.length === 0 || args.length > 2) fallBack('arguments');
  if (at instanceof PuppetRegexp) {
    const found = matchOf(at, self, matches);
    return found ? found.group(args.length === 2 ? index(count) : 0) : null;
  }
  if (typeof at === 'string' && args.length === 1) return self.includes(at) ? at : null;
  const chars = flat(self);
  if (args.length === 2) {
    const [given, length] = [index(at), index(count)];
    const start = given < 0 ? given + chars.length : given;
    return start < 0 || start > chars.length || length < 0 ? null : chars.slice(start, start + length);
  }
  if (at instanceof RubyRange) {
    const bounds = boundsOf(at, chars.length);
    return bounds && chars.slice(...bounds);
  }
  return chars.at(index(at)) ?? null;
}

function substitution(all: boolean): StringMethod {
  return (self, call) => {
    const [pattern = null, replacement] = call.args;
    const replace = call.block && call.args.length === 1 ? byBlock(call) : byText(call);
    if (pattern instanceof PuppetRegexp) {
      const native = nativePattern(pattern, self);
      // A match at the end of a line that is followed by another is one that the engines differ in.
      const result = (all ? gsubPattern : subPattern)(self, native, replace);
      call.matches.last = undefined;
      return replacement === undefined && !call.block ? fallBack('arguments') : result;
    }
    const wanted = text(pattern);
    const quoted = new RegExp(quotePattern(wanted), 'u');
    const result = (all ? gsubPattern : subPattern)(self, quoted, replace);
    call.matches.last = undefined;
    return result;
  };
}

function byText({ args, block }: MethodCall): (match: RegExpExecArray) => string {
  if (block || args.length !== 2) fallBack('arguments');
  const template = text(args[1]);
  if (/\\[^\\0-9&]/.test(template)) fallBack('a replacement with marks');
  return replacementText(template);
}

function byBlock({ block, matches }: MethodCall): (match: RegExpExecArray) => string {
  return (match) => {
    matches.last = new RubyMatch(match);
    const value = block?.call([match[0]]) ?? null;
    if (typeof value === 'object' && value !== null) fallBack('an object as replacement');
    return value === null ? '' : typeof value === 'string' ? value : fallBack('a replacement that is no text');
  };
}

/** Words between white space, as `split` without arguments gives them. */
function words(self: string): string[] {
  return self.split(/[ \t\n\v\f\r]+/).filter((word) => word !== '');
}

function split(self: string, { render, args, block }: MethodCall): Value {
  const [separator = null, limit] = args;
  if (block || args.length > 2 || self.includes('\0')) fallBack('arguments');
  if (limit !== undefined && limit !== 0n) return render.own(splitUpTo(self, separator, index(limit)));
  if (separator === null || separator === ' ') return render.own(words(self));
  if (separator instanceof PuppetRegexp) {
    if (separator.source === ' ') return render.own(withoutEmptyEnd(self.split(' ')));
    return render.own(splitByPattern(self, nativePattern(separator, self)));
  }
  const by = text(separator);
  return render.own(withoutEmptyEnd(by === '' ? Array.from(self) : self.split(by)));
}

function withoutEmptyEnd(parts: string[]): string[] {
  let end = parts.length;
  while (end > 0 && parts[end - 1] === '') end -= 1;
  return parts.slice(0, end);
}

/** A negative limit keeps empty parts at the end. */
function splitUpTo(self: string, separator: Value, limit: number): string[] {
  const by = text(separator);
  if (by === ' ' || by === '' || self === '') fallBack('split with a limit');
  const parts = self.split(by);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(by)];
}

function padded(place: (self: string, missing: number, padding: string) => string): StringMethod {
  return (self, { args, block }) => {
    const width = index(args[0]);
    const padding = args.length === 2 ? text(args[1]) : ' ';
    if (block || args.length > 2 || padding === '' || width > TEXT_LIMIT) fallBack('arguments');
    const missing = width - flat(self).length;
    return missing <= 0 ? self : place(self, missing, flat(padding));
  };
}

function filled(length: number, padding: string): string {
  return padding.repeat(Math.ceil(length / padding.length)).slice(0, length);
}

function lines(self: string, call: MethodCall): Value {
  noArguments(call);
  return call.render.own(self.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function compared(test: (order: number) => boolean): StringMethod {
  return (self, call) => test(compareStrings(self, textArgument(call)));
}

function scan(self: string, { render, args, block, matches }: MethodCall): Value {
  if (block || args.length !== 1) fallBack('arguments');
  const pattern = args[0] ?? null;
  if (!(pattern instanceof PuppetRegexp)) return fallBack('scan for a text');
  const found: Value[] = [];
  gsubPattern(self, nativePattern(pattern, self), (match) => {
    const groups = match.slice(1).map((group: string | undefined) => group ?? null);
    found.push(groups.length > 0 ? groups : match[0]);
    return '';
  });
  matches.last = undefined;
  return render.own(found);
}

function indexOf(self: string, { args, block, matches }: MethodCall): Value {
  if (block || args.length !== 1) fallBack('arguments');
  const wanted = args[0] ?? null;
  if (wanted instanceof PuppetRegexp) return matchIndex(wanted, self, matches);
  const at = flat(self).indexOf(text(wanted));
  return at < 0 ? null : BigInt(at);
}

function affixes(test: (self: string, affix: string) => boolean): StringMethod {
  return (self, { args, block }) =>
    block ? fallBack('a block') : args.map((arg) => text(arg)).some((affix) => test(self, affix));
}

const length = plain((self) => BigInt(flat(self).length));
const itself = plain((self) => self);
const symbol = plain((self) => new RubySymbol(self));
const ends = affixes((self, affix) => self.endsWith(affix));

/** Numbers are read from ASCII; what is grouped by underscores, and exponents of their own, are left to Ruby. */
function numeric(self: string): string {
  return ASCII.test(self) && !self.includes('\0') ? self : fallBack('the number in a text');
}

export const STRING_METHODS: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ...CHARACTER_METHODS,
  ['+', (self, call) => self + textArgument(call)],
  [
    '*',
    (self, call) => {
      const count = index(argument(call));
      return count < 0 || count * self.length > TEXT_LIMIT ? fallBack('a long text') : self.repeat(count);
    },
  ],
  [
    '%',
    (self, call) => {
      const given = argument(call);
      return formatText(self, Array.isArray(given) ? given : [given]);
    },
  ],
  ['<', compared((order) => order < 0)],
  ['>', compared((order) => order > 0)],
  ['<=', compared((order) => order <= 0)],
  ['>=', compared((order) => order >= 0)],
  ['<=>', (self, call) => BigInt(compareStrings(self, textArgument(call)))],
  [
    '=~',
    (self, call) => {
      const pattern = argument(call);
      return pattern instanceof PuppetRegexp ? matchIndex(pattern, self, call.matches) : fallBack('=~');
    },
  ],
  [
    'match',
    (self, call) => (call.block ? fallBack('a block') : matchOf(patternOf(argument(call)), self, call.matches)),
  ],
  ['match?', (self, call) => nativePattern(patternOf(argument(call)), self).test(self)],
  ['[]', element],
  ['slice', element],
  ['length', length],
  ['size', length],
  ['empty?', plain((self) => self === '')],
  ['include?', (self, call) => self.includes(textArgument(call))],
  ['start_with?', affixes((self, affix) => self.startsWith(affix))],
  ['end_with?', ends],
  ['index', indexOf],
  ['to_s', itself],
  ['to_str', itself],
  ['dup', itself],
  ['clone', itself],
  ['to_sym', symbol],
  ['intern', symbol],
  ['to_i', plain((self) => toI(numeric(self)))],
  ['to_f', plain((self) => (/[_eE]/.test(self) ? fallBack('the number in a text') : toF(numeric(self))))],
  ['upcase', cased(upcase)],
  ['downcase', cased(downcase)],
  ['capitalize', cased(capitalize)],
  ['strip', plain(strip)],
  ['lstrip', plain(lstrip)],
  ['rstrip', plain(rstrip)],
  [
    'chomp',
    (self, call) => {
      if (call.args.length === 0) return call.block ? fallBack('a block') : chomp(self);
      const end = textArgument(call);
      if (end === '' || end === '\n') return fallBack('chomp');
      return self.endsWith(end) ? self.slice(0, -end.length) : self;
    },
  ],
  ['chop', plain(chop)],
  ['reverse', plain((self) => Array.from(self).reverse().join(''))],
  ['split', split],
  ['lines', lines],
  [
    'chars',
    (self, call) => {
      noArguments(call);
      return call.render.own(Array.from(self));
    },
  ],
  ['sub', substitution(false)],
  ['gsub', substitution(true)],
  ['scan', scan],
  [
    'delete_prefix',
    (self, call) => {
      const prefix = textArgument(call);
      return self.startsWith(prefix) ? self.slice(prefix.length) : self;
    },
  ],
  [
    'delete_suffix',
    (self, call) => {
      const suffix = textArgument(call);
      return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self;
    },
  ],
  ['ljust', padded((self, missing, padding) => self + filled(missing, padding))],
  ['rjust', padded((self, missing, padding) => filled(missing, padding) + self)],
  [
    'center',
    padded((self, missing, padding) => {
      const left = Math.floor(missing / 2);
      return filled(left, padding) + self + filled(missing - left, padding);
    }),
  ],
  ['eql?', (self, call) => self === argument(call)],
  [
    'casecmp?',
    (self, call) => {
      const other = textArgument(call);
      return ASCII.test(self + other) ? asciiDowncase(self) === asciiDowncase(other) : fallBack('casecmp?');
    },
  ],
]);
