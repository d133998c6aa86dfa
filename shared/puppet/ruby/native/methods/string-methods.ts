import { quotePattern } from '../../../../util/literal-pattern.ts';
import { inspectString } from '../../../ruby-core/ruby-inspect.ts';
import { toF, toI } from '../../../ruby-core/ruby-number.ts';
import { gsubPattern, replacementText, splitByPattern, subPattern } from '../../../ruby-core/ruby-pattern.ts';
import {
  capitalizeText,
  chompText,
  chopText,
  compareStrings,
  downcaseText,
  lstripText,
  rstripText,
  stripText,
  upcaseText,
} from '../../../ruby-core/ruby-string.ts';
import { shaCrypt } from '../../../ruby-core/sha-crypt.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { BytesText } from '../../../types/values/bytes-text.ts';
import { PuppetRegexp } from '../../../types/values/regexp.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyMatch, RubyRange } from '../objects.ts';
import {
  assertIndex,
  assertText,
  byName,
  getArgument,
  type MethodCall,
  noArguments,
  type RubyMethod,
  textArgument,
  withoutArguments,
} from '../runtime.ts';
import { formatText } from './common-methods.ts';
import { boundsOf, matchIndex, matchOf, nativePattern, patternOf } from './regexp-methods.ts';
import { CHARACTER_METHODS } from './string-characters.ts';

type StringMethod = RubyMethod<string>;

const TEXT_LIMIT = 1_000_000;
const SURROGATE = /[\ud800-\udfff]/;
const ASCII = /^\p{ASCII}*$/u;
/** Characters whose upper and lower case is the same in all versions of Unicode. */
const LATIN = /^[\p{ASCII}\u0080-\u00ff]*$/u;

/** Checks that each character of a text is one UTF-16 unit. */
function flattenText(self: string): string {
  return SURROGATE.test(self) ? fallBack('characters of two units') : self;
}

function makeCaseChange(change: (self: string) => string): StringMethod {
  return withoutArguments((self) => (LATIN.test(self) ? change(self) : fallBack('the case of letters')));
}

function getElement(self: string, { args, block, matches }: MethodCall): Value {
  const [at = null, count] = args;
  if (block || args.length === 0 || args.length > 2) fallBack('arguments');
  if (at instanceof PuppetRegexp) {
    const found = matchOf(at, self, matches);
    return found ? found.group(args.length === 2 ? assertIndex(count) : 0) : null;
  }
  if (typeof at === 'string' && args.length === 1) return self.includes(at) ? at : null;
  const chars = flattenText(self);
  if (args.length === 2) {
    const [given, length] = [assertIndex(at), assertIndex(count)];
    const start = given < 0 ? given + chars.length : given;
    return start < 0 || start > chars.length || length < 0 ? null : chars.slice(start, start + length);
  }
  if (at instanceof RubyRange) {
    const bounds = boundsOf(at, chars.length);
    return bounds && chars.slice(...bounds);
  }
  return chars.at(assertIndex(at)) ?? null;
}

/** Implements `String#crypt` with SHA-2; of MD5, the call by which `pw_hash` tests the system. */
function cryptText(self: string, call: MethodCall): BytesText {
  const salt = textArgument(call);
  if (self === 'test' && salt === '$1$1') return new BytesText('$1$1$Bp8CU9Oujr9SSEw53WV6G.');
  const [, kind, plain = ''] = /^\$([56])\$([a-zA-Z0-9./]+)$/.exec(salt) ?? fallBack('a salt');
  if (self.includes('\0')) fallBack('a password');
  return new BytesText(shaCrypt(self, plain, kind === '5' ? 256 : 512));
}

function makeSubstitution(all: boolean): StringMethod {
  return (self, call) => {
    const [pattern = null, replacement] = call.args;
    const replace = call.block && call.args.length === 1 ? makeBlockReplacement(call) : makeTextReplacement(call);
    if (pattern instanceof PuppetRegexp) {
      const native = nativePattern(pattern, self);
      // The engines differ in a match at the end of a line that another line follows.
      const result = (all ? gsubPattern : subPattern)(self, native, replace);
      call.matches.last = undefined;
      return replacement === undefined && !call.block ? fallBack('arguments') : result;
    }
    const wanted = assertText(pattern);
    const quoted = new RegExp(quotePattern(wanted), 'u');
    const result = (all ? gsubPattern : subPattern)(self, quoted, replace);
    call.matches.last = undefined;
    return result;
  };
}

function makeTextReplacement({ args, block }: MethodCall): (match: RegExpExecArray) => string {
  if (block || args.length !== 2) fallBack('arguments');
  const template = assertText(args[1]);
  if (/\\[^\\0-9&]/.test(template)) fallBack('a replacement with marks');
  return replacementText(template);
}

function makeBlockReplacement({ block, matches }: MethodCall): (match: RegExpExecArray) => string {
  return (match) => {
    matches.last = new RubyMatch(match);
    const value = block?.call([match[0]]) ?? null;
    if (typeof value === 'object' && value !== null) fallBack('an object as replacement');
    return value === null ? '' : typeof value === 'string' ? value : fallBack('a replacement that is no text');
  };
}

/** Splits at white space, as `split` without arguments does. */
function splitWords(self: string): string[] {
  return self.split(/[ \t\n\v\f\r]+/).filter((word) => word !== '');
}

function split(self: string, { render, args, block }: MethodCall): Value {
  const [separator = null, limit] = args;
  if (block || args.length > 2 || self.includes('\0')) fallBack('arguments');
  if (limit !== undefined && limit !== 0n) return render.markOwn(splitUpTo(self, separator, assertIndex(limit)));
  if (separator === null || separator === ' ') return render.markOwn(splitWords(self));
  if (separator instanceof PuppetRegexp) {
    if (separator.source === ' ') return render.markOwn(withoutEmptyEnd(self.split(' ')));
    return render.markOwn(splitByPattern(self, nativePattern(separator, self)));
  }
  const by = assertText(separator);
  return render.markOwn(withoutEmptyEnd(by === '' ? Array.from(self) : self.split(by)));
}

function withoutEmptyEnd(parts: string[]): string[] {
  let end = parts.length;
  while (end > 0 && parts[end - 1] === '') end -= 1;
  return parts.slice(0, end);
}

/** Splits a text; a negative limit keeps empty parts at the end. */
function splitUpTo(self: string, separator: Value, limit: number): string[] {
  const by = assertText(separator);
  if (by === ' ' || by === '' || self === '') fallBack('split with a limit');
  const parts = self.split(by);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(by)];
}

function makePadding(place: (self: string, missing: number, padding: string) => string): StringMethod {
  return (self, { args, block }) => {
    const width = assertIndex(args[0]);
    const padding = args.length === 2 ? assertText(args[1]) : ' ';
    if (block || args.length > 2 || padding === '' || width > TEXT_LIMIT) fallBack('arguments');
    const missing = width - flattenText(self).length;
    return missing <= 0 ? self : place(self, missing, flattenText(padding));
  };
}

function fillPadding(length: number, padding: string): string {
  return padding.repeat(Math.ceil(length / padding.length)).slice(0, length);
}

function splitLines(self: string, call: MethodCall): Value {
  noArguments(call);
  return call.render.markOwn(self.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function makeComparison(test: (order: number) => boolean): StringMethod {
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
  return render.markOwn(found);
}

function indexOf(self: string, { args, block, matches }: MethodCall): Value {
  if (block || args.length !== 1) fallBack('arguments');
  const wanted = args[0] ?? null;
  if (wanted instanceof PuppetRegexp) return matchIndex(wanted, self, matches);
  const at = flattenText(self).indexOf(assertText(wanted));
  return at < 0 ? null : BigInt(at);
}

function makeAffixTest(test: (self: string, affix: string) => boolean): StringMethod {
  return (self, { args, block }) =>
    block ? fallBack('a block') : args.map((arg) => assertText(arg)).some((affix) => test(self, affix));
}

const length: StringMethod = withoutArguments((self) => BigInt(flattenText(self).length));
const itself = withoutArguments((self) => self);
const symbol: StringMethod = withoutArguments((self) => new RubySymbol(self));
const ends = makeAffixTest((self, affix) => self.endsWith(affix));

/**
 * Reads a number from ASCII. Digits grouped by underscores, and unusual exponents, are left to
 * Ruby.
 */
function readNumeric(self: string): string {
  return ASCII.test(self) && !self.includes('\0') ? self : fallBack('the number in a text');
}

/** Implements `to_i(16)` of hexadecimal digits alone. */
function readHex(self: string, call: MethodCall): bigint {
  return getArgument(call) === 16n && /^[\da-f]+$/i.test(self) ? BigInt(`0x${self}`) : fallBack('a base');
}

export const STRING_METHODS = byName<StringMethod>({
  crypt: cryptText,
  ...Object.fromEntries(CHARACTER_METHODS),
  '+': (self, call) => self + textArgument(call),
  '*': (self, call) => {
    const count = assertIndex(getArgument(call));
    return count < 0 || count * self.length > TEXT_LIMIT ? fallBack('a long text') : self.repeat(count);
  },
  '%': (self, call) => {
    const given = getArgument(call);
    return formatText(self, Array.isArray(given) ? given : [given], call.render);
  },
  '<': makeComparison((order) => order < 0),
  '>': makeComparison((order) => order > 0),
  '<=': makeComparison((order) => order <= 0),
  '>=': makeComparison((order) => order >= 0),
  '<=>': (self, call) => BigInt(compareStrings(self, textArgument(call))),
  '=~': (self, call) => {
    const pattern = getArgument(call);
    return pattern instanceof PuppetRegexp ? matchIndex(pattern, self, call.matches) : fallBack('=~');
  },
  match: (self, call) => (call.block ? fallBack('a block') : matchOf(patternOf(getArgument(call)), self, call.matches)),
  'match?': (self, call) => nativePattern(patternOf(getArgument(call)), self).test(self),
  '[]': getElement,
  slice: getElement,
  length,
  size: length,
  'empty?': withoutArguments((self) => self === ''),
  'include?': (self, call) => self.includes(textArgument(call)),
  'start_with?': makeAffixTest((self, affix) => self.startsWith(affix)),
  'end_with?': ends,
  index: indexOf,
  to_s: itself,
  dup: itself,
  clone: itself,
  to_sym: symbol,
  to_i: (self, call) => (call.args.length > 0 ? readHex(self, call) : toI(readNumeric(self))),
  to_f: withoutArguments((self) => (/[_eE]/.test(self) ? fallBack('the number in a text') : toF(readNumeric(self)))),
  upcase: makeCaseChange(upcaseText),
  downcase: makeCaseChange(downcaseText),
  capitalize: makeCaseChange(capitalizeText),
  strip: withoutArguments(stripText),
  lstrip: withoutArguments(lstripText),
  rstrip: withoutArguments(rstripText),
  chomp: (self, call) => {
    if (call.args.length === 0) return call.block ? fallBack('a block') : chompText(self);
    const end = textArgument(call);
    if (end === '' || end === '\n') return fallBack('chomp');
    return self.endsWith(end) ? self.slice(0, -end.length) : self;
  },
  chop: withoutArguments(chopText),
  reverse: withoutArguments((self) => Array.from(self).reverse().join('')),
  split,
  lines: splitLines,
  chars: withoutArguments((self, call) => call.render.markOwn(Array.from(self))),
  sub: makeSubstitution(false),
  gsub: makeSubstitution(true),
  scan,
  delete_prefix: (self, call) => {
    const prefix = textArgument(call);
    return self.startsWith(prefix) ? self.slice(prefix.length) : self;
  },
  delete_suffix: (self, call) => {
    const suffix = textArgument(call);
    return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self;
  },
  ljust: makePadding((self, missing, padding) => self + fillPadding(missing, padding)),
  rjust: makePadding((self, missing, padding) => fillPadding(missing, padding) + self),
  'eql?': (self, call) => self === getArgument(call),
  dump: withoutArguments((self) => (/^[\n\t\r\f\v -~]*$/.test(self) ? inspectString(self) : fallBack('dump'))),
});
