import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { LegacyResourceReference } from '../../evaluator/resource-reference.ts';
import { splitByPattern } from '../../ruby-core/ruby-pattern.ts';
import { rubyScanf } from '../../ruby-core/ruby-scanf.ts';
import { rubySprintf, SprintfError, type SprintfValues } from '../../ruby-core/ruby-sprintf.ts';
import { compareVersions } from '../../ruby-core/version-compare.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { TypeAliasType } from '../../types/reference-types.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { RegexpType } from '../../types/scalar-types.ts';
import { PatternType } from '../../types/string-types.ts';
import { Timespan } from '../../types/time/timespan.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { VariantType } from '../../types/wrapper-types.ts';
import { callLocation } from '../support/call-location.ts';
import { flattenDeep, implicitString, rubyKindName, undefinedMethodError } from '../support/conversion.ts';
import { warnOnce } from '../support/deprecation.ts';

function matchText(text: string, pattern: Value): Value {
  if (typeof pattern === 'string') return groupsOf(new PuppetRegexp(pattern), text);
  if (pattern instanceof PuppetRegexp) return groupsOf(pattern, text);
  if (Array.isArray(pattern)) return firstMatch(text, flattenDeep(pattern));
  if (pattern instanceof TypeAliasType) return matchText(text, pattern.resolvedType);
  if (pattern instanceof VariantType) return firstMatch(text, pattern.types);
  if (pattern instanceof PatternType) return firstMatch(text, pattern.patterns);
  if (pattern instanceof RegexpType) {
    if (pattern.pattern === null) throw new PuppetError(ISSUES.MATCH_REGEXP_TYPE_EMPTY());
    return groupsOf(new PuppetRegexp(pattern.pattern), text);
  }
  throw new PuppetError(ISSUES.MATCH_PATTERN_TYPE({ actual: rubyClassName(pattern) }));
}

function groupsOf(pattern: PuppetRegexp, text: string): Value {
  const found = pattern.exec(text);
  return found ? Array.from(found, (group) => group ?? null) : null;
}

function firstMatch(text: string, patterns: readonly Value[]): Value {
  for (const pattern of patterns) {
    const found = matchText(text, pattern);
    if (found !== null) return found;
  }
  return null;
}

const PATTERNS = ['String', 'Regexp', 'Type[Regexp]'];

function splitText(_: CallSite, [text, pattern = null]: readonly Value[]): Value {
  return splitByPattern(String(text), regexpOf(pattern).toNative());
}

function regexpOf(pattern: Value): PuppetRegexp {
  if (pattern instanceof PuppetRegexp) return pattern;
  return new PuppetRegexp(pattern instanceof RegexpType ? (pattern.pattern ?? '') : String(pattern));
}

const VALUES: SprintfValues<Value> = {
  toS: rubyToS,
  inspect: inspectRuby,
  className: (value) => rubyKindName(value, rubyClassName),
  getEntry: (hash, key) => (hash instanceof PuppetHash ? hash.get(key) : null),
};

/** Ruby's `Kernel#sprintf`; throws its errors as PuppetError. */
function formatValues(format: string, args: readonly Value[]): string {
  try {
    return rubySprintf(format, args, VALUES);
  } catch (error) {
    if (error instanceof SprintfError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}

function quoteWord(word: Value): string {
  if (word instanceof PuppetHash || word instanceof LegacyResourceReference) return implicitString(word);
  if (typeof word !== 'string') throw undefinedMethodError('length', word, inspectRuby(word));
  if (/^[a-zA-Z0-9@%_+=:,./-]+$/.test(word)) return word;
  if (!/[!"`$\\]/.test(word)) return `"${word}"`;
  if (!word.includes("'")) return `'${word}'`;
  return `"${word.replace(/[!"`$\\]/g, '\\$&')}"`;
}

function formatTime(time: Value, format: string, timezone: Value | undefined): Value {
  return time instanceof Timestamp ? time.format(format, typeof timezone === 'string' ? timezone : null) : null;
}

function formatNow(site: CallSite, format: string, timezone: Value | undefined): Value {
  warnOnce(
    site,
    'legacy#strftime',
    'The argument signature (String format, [String timezone]) is deprecated for #strftime. ' +
      'See #strftime documentation and Timespan type for more info',
    callLocation(site),
  );
  return formatTime(new Timestamp(site.context.clock.read('strftime', site.node)), format, timezone);
}

/** The functions that match, split, scan and format texts. */
export const PATTERN_FUNCTIONS: readonly PuppetFunction[] = [
  /** Returns the match and its groups, or undef; an array of texts gives one result for each. */
  defineFunction('match', [
    {
      params: ['String string', 'Variant[Any, Type] pattern'],
      body: (_, [text, pattern = null]) => matchText(String(text), pattern),
    },
    {
      params: ['Array[String] string', 'Variant[Any, Type] pattern'],
      body: (_, [texts, pattern = null]) =>
        Array.isArray(texts) ? texts.map((text) => matchText(String(text), pattern)) : null,
    },
  ]),
  /**
   * Ruby's `String#split` with a regular expression; a String is compiled to one. A Sensitive text
   * gives a Sensitive result.
   */
  defineFunction('split', [
    ...PATTERNS.map((type) => ({
      params: ['String str', `${type} pattern`],
      body: splitText,
    })),
    ...PATTERNS.map((type) => ({
      params: ['Sensitive[String] sensitive', `${type} pattern`],
      body: (site: CallSite, [secret, pattern = null]: readonly Value[]) =>
        new Sensitive(splitText(site, [secret instanceof Sensitive ? secret.unwrap() : null, pattern])),
    })),
  ]),
  /** Reads values from a text by a format; a block converts the result. */
  defineFunction('scanf', {
    params: ['String data', 'String format'],
    block: '?Callable block',
    body: (_, [data, format], block) => {
      const result: Value = rubyScanf(String(data), String(format));
      return block ? block.call(result) : result;
    },
  }),
  /** Ruby's `sprintf`; a single hash argument supplies the values of named formats. */
  defineLegacyFunction('sprintf', {
    arity: -2,
    rvalue: true,
    body: (_, [format = null, ...args]) => formatValues(implicitString(format), args),
  }),
  /** Quotes each word for a Bourne shell where necessary, and joins the words with blanks. */
  defineLegacyFunction('shellquote', {
    arity: -1,
    rvalue: true,
    body: (_, args) => flattenDeep(args).map(quoteWord).join(' '),
  }),
  /**
   * Formats a Timestamp or Timespan. With a leading String it formats the current time; this form
   * is deprecated.
   */
  defineFunction('strftime', [
    {
      params: ['Timespan time_object', 'String format'],
      body: (_, [time, format]) => (time instanceof Timespan ? time.format(String(format)) : null),
    },
    {
      params: ['Timestamp time_object', 'String format', '?String timezone'],
      body: (_, [time, format, timezone]) => formatTime(time ?? null, String(format), timezone),
    },
    {
      params: ['String format', '?String timezone'],
      body: (site, [format, timezone]) => formatNow(site, String(format), timezone),
    },
  ]),
  defineFunction('versioncmp', {
    params: ['String a', 'String b', '?Boolean ignore_trailing_zeroes'],
    body: (_, [a, b, ignore = false]) => BigInt(compareVersions(String(a), String(b), ignore === true)),
  }),
];
