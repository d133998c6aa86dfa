import { PuppetError } from '../../../errors/puppet-error.ts';
import { escapeRegexp, PuppetRegexp } from '../../../types/values/regexp.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { RubyMatch, RubyRange } from '../objects.ts';
import {
  assertIndex,
  assertText,
  byName,
  getArgument,
  type LastMatch,
  type MethodCall,
  type RubyMethod,
  withoutArguments,
} from '../runtime.ts';

/** Returns start and end of a range within that number of items; null when it starts outside. */
export function boundsOf(range: RubyRange, length: number): readonly [start: number, end: number] | null {
  const from = assertIndex(range.from);
  const to = assertIndex(range.to);
  const start = from < 0 ? from + length : from;
  if (start < 0 || start > length) return null;
  const last = to < 0 ? to + length : to;
  return [start, Math.min(length, Math.max(start, last + (range.excludesEnd ? 0 : 1)))];
}

/** Syntax whose meaning differs between the engines, or depends on characters outside ASCII. */
const UNCERTAIN =
  /\\[bBGKRXpPkgyYxuUcCM0-9]|\[\[|\[(?:\\.|[^\]\\])*&&|\(\?[^:<=!imx-]|\(\?<[^=!a-zA-Z]|\(\?~|\[\^?\]|[*+?}][+]|\}\?/;
const SURROGATE = /[\ud800-\udfff]/;
const ASCII = /^\p{ASCII}*$/u;
/**
 * Character classes whose members differ between ASCII and Unicode, and case-insensitive matching.
 */
const UNICODE_DEPENDENT = /\\[wWdDsShH]|\(\?[mx]*i/;

/**
 * Whether the pattern nests repetitions. Their backtracking may not end here; Ruby has a time
 * limit.
 */
function repeatsRepetition(source: string): boolean {
  const groups = [false];
  const plain = source.replace(/\\[\s\S]/g, 'e').replace(/\[[^\]]*\]/g, 'c');
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain.charAt(at);
    const isRepeated = /[*+{]/.test(plain.charAt(char === ')' ? at + 1 : at));
    if (char === '(') groups.push(false);
    const repeats = char === ')' ? (groups.pop() ?? false) : isRepeated;
    if (char === ')' && repeats && isRepeated) return true;
    if (repeats || isRepeated) groups[groups.length - 1] = true;
  }
  return false;
}

/** A pattern whose matches are known, and the texts for which they are. */
interface JudgedPattern {
  readonly native: RegExp;
  readonly isForAscii: boolean;
}

const judged = new WeakMap<PuppetRegexp, JudgedPattern>();
/** The ASCII text matched last: code tries many patterns with one text. */
let plainSubject = '';
/** Longer texts are not kept: a process would hold them until the next match. */
const LONGEST_KEPT = 10_000;

/** Converts the pattern for that text, when its matches are known. */
export function nativePattern(pattern: PuppetRegexp, subject: string): RegExp {
  const { native, isForAscii } = judged.get(pattern) ?? judgePattern(pattern);
  if (subject === plainSubject) return native;
  if (SURROGATE.test(subject)) fallBack('characters of two units');
  const isPlain = ASCII.test(subject);
  if (isPlain && subject.length <= LONGEST_KEPT) plainSubject = subject;
  if (!isPlain && isForAscii) fallBack('a pattern for other than ASCII');
  return native;
}

function judgePattern(pattern: PuppetRegexp): JudgedPattern {
  const { source } = pattern;
  if (UNCERTAIN.test(source) || repeatsRepetition(source) || !ASCII.test(source)) fallBack('a pattern');
  try {
    const made = { native: pattern.toNative(), isForAscii: UNICODE_DEPENDENT.test(source) };
    judged.set(pattern, made);
    return made;
  } catch (error) {
    if (error instanceof PuppetError) return fallBack(error.message);
    throw error;
  }
}

/** Returns the first match, which becomes the last match of the method. */
export function matchOf(pattern: PuppetRegexp, subject: Value, matches: LastMatch): RubyMatch | null {
  if (subject === null) {
    matches.last = null;
    return null;
  }
  const match = nativePattern(pattern, assertText(subject)).exec(assertText(subject));
  matches.last = match && new RubyMatch(match);
  return matches.last;
}

/** Implements `=~`: returns the position of the match. */
export function matchIndex(pattern: PuppetRegexp, subject: Value, matches: LastMatch): bigint | null {
  const found = matchOf(pattern, subject, matches);
  if (!found) return null;
  const before = found.match.input.slice(0, found.match.index);
  return BigInt(Array.from(before).length);
}

/** Creates a pattern; malformed source is left to Ruby. */
export function assertPattern(source: string): PuppetRegexp {
  const pattern = new PuppetRegexp(source);
  nativePattern(pattern, '');
  return pattern;
}

/** Returns the pattern that a value represents. */
export function patternOf(value: Value): PuppetRegexp {
  return value instanceof PuppetRegexp ? value : assertPattern(assertText(value));
}

export const REGEXP_METHODS = byName<RubyMethod<PuppetRegexp>>({
  '=~': (self, call) => matchIndex(self, getArgument(call), call.matches),
  '===': (self, call) => {
    const subject = getArgument(call);
    if (typeof subject !== 'string' && subject !== null) fallBack('a pattern for what is no text');
    return matchOf(self, subject, call.matches) !== null;
  },
  match: (self, call) => (call.block ? fallBack('a block') : matchOf(self, getArgument(call), call.matches)),
  'match?': (self, call) => {
    const subject = getArgument(call);
    return subject === null ? false : nativePattern(self, assertText(subject)).test(assertText(subject));
  },
});

function group(self: RubyMatch, call: MethodCall): Value {
  const [from, count] = call.args;
  if (count !== undefined && call.args.length === 2) {
    const [start, length] = [assertIndex(from), assertIndex(count)];
    if (start < 0 || start > self.match.length || length < 0) fallBack('groups outside');
    return call.render.markOwn(listCaptures(self).slice(start, start + length));
  }
  const at = getArgument(call);
  const { groups } = self.match;
  if (typeof at === 'string') return groups && at in groups ? (groups[at] ?? null) : fallBack('no such group');
  if (!(at instanceof RubyRange)) return self.group(assertIndex(at));
  const bounds = boundsOf(at, self.match.length);
  return bounds && call.render.markOwn(listCaptures(self).slice(...bounds));
}

function listCaptures(self: RubyMatch): Value[] {
  return Array.from(self.match, (one: string | undefined) => one ?? null);
}

export const MATCH_METHODS = byName<RubyMethod<RubyMatch>>({
  '[]': group,
  to_a: withoutArguments((self, { render }) => render.markOwn(listCaptures(self))),
  captures: withoutArguments((self, { render }) => render.markOwn(listCaptures(self).slice(1))),
  to_s: withoutArguments((self) => self.match[0]),
});

function lastMatch({ args, block, matches: { last } }: MethodCall): Value {
  if (block || args.length > 1 || last === undefined) return fallBack('the last match');
  return last && args.length === 1 ? last.group(assertIndex(args[0])) : last;
}

/** Implements the methods of the class `Regexp`. */
export function callRegexpClass(name: string, call: MethodCall): Value {
  if (name === 'last_match') return lastMatch(call);
  const [given = null] = call.args;
  if (call.args.length !== 1 || call.block) return fallBack('arguments');
  if (name === 'escape' || name === 'quote')
    return ASCII.test(assertText(given)) ? escapeRegexp(assertText(given)) : fallBack('escape');
  return name === 'new' || name === 'compile' ? assertPattern(assertText(given)) : fallBack(`Regexp.${name}`);
}
