/**
 * Calls built-in functions with byte strings (texts that Ruby keeps as bytes). Functions of other
 * kinds, and those without a row here, know of byte strings or pass them on.
 */

import { PuppetError } from '../errors/puppet-error.ts';
import { PType } from '../types/ptype.ts';
import { BytesText, findKey, INVALID_SEQUENCE, plainText, restoreBytes } from '../types/values/bytes-text.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import type { Callable, CallSite, PuppetFunction } from './ports.ts';
import { PuppetLanguageFunction } from './puppet-function.ts';

/**
 * A function's use of texts. `change`: its result is a byte string when its first argument is
 * one; `change-each`: also for each text in a list. `measure`: its result holds no text. `name`:
 * the first text, or each (`names`), names something. `create`: it makes a value of a type.
 */
type BytesRule = 'change' | 'change-each' | 'measure' | 'name' | 'names' | 'create';

const NAMES: Readonly<Record<BytesRule, string>> = {
  change: 'scanf shellquote sort split sprintf strftime unique',
  'change-each': 'camelcase capitalize chomp chop downcase lstrip match regsubst rstrip strip upcase',
  measure: 'compare empty length size versioncmp',
  name: 'create_resources epp getvar hiera hiera_array hiera_hash hiera_include inline_epp lookup',
  names: `binary_file contain defined file find_file find_template fqdn_rand generate import include inline_template
    module_directory realize require tag tagged template`,
  create: 'convert_to new',
};

/** Ruby's error of the functions that fail on a text of UTF-8 that is not valid. */
const FAILING: ReadonlyMap<string, string> = new Map([
  ...['camelcase', 'match', 'regsubst', 'rstrip', 'shellquote', 'split', 'strip', 'versioncmp'].map(
    (name) => [name, INVALID_SEQUENCE] as const,
  ),
  ...['include', 'contain', 'require', 'realize', 'hiera', 'lookup'].map((name) => [name, INVALID_SEQUENCE] as const),
  ...['capitalize', 'downcase', 'upcase'].map((name) => [name, 'input string invalid'] as const),
]);
/** Kinds of types whose `new` takes a text of UTF-8 that is not valid. */
const LENIENT: ReadonlySet<string> = new Set(['Array', 'String', 'Tuple']);

const RULES: ReadonlyMap<string, BytesRule> = new Map(
  (Object.keys(NAMES) as BytesRule[]).flatMap((rule) => NAMES[rule].split(/\s+/).map((name) => [name, rule] as const)),
);

/** Kinds of types that `new` makes of the characters of a text. */
const READING: ReadonlySet<string> = new Set(
  'Array Binary Boolean Float Integer Numeric Regexp SemVer SemVerRange String Timespan Timestamp Tuple URI'.split(' '),
);

/**
 * Whether one of the values, or of the elements of lists among them, is a byte string. A list may
 * hold another one many times: each is searched once.
 */
function holdsBytes(values: readonly Value[], searched = new Set<readonly Value[]>()): boolean {
  if (searched.has(values)) return false;
  searched.add(values);
  return values.some((value) => value instanceof BytesText || (isArray(value) && holdsBytes(value, searched)));
}

/** Calls a function; a built-in one gets byte strings in the form that it takes. */
export function callFound(
  found: PuppetFunction,
  site: CallSite,
  args: readonly Value[],
  block: Callable | null,
): Value {
  const rule = RULES.get(found.name);
  if (rule === undefined || !holdsBytes(args) || found instanceof PuppetLanguageFunction) {
    return found.call(site, args, block);
  }
  const [first = null] = args;
  const failure = FAILING.get(found.name);
  if (failure !== undefined && (isBroken(first) || (isArray(first) && first.some(isBroken)))) {
    throw new PuppetError(failure);
  }
  return callWithBytes(rule, args, (given) => found.call(site, given, block));
}

function isBroken(value: Value): boolean {
  return value instanceof BytesText && value.isBroken;
}

function callWithBytes(rule: BytesRule, args: readonly Value[], call: (args: readonly Value[]) => Value): Value {
  const [first = null, ...rest] = args;
  switch (rule) {
    case 'change':
      return restore(call(args.map(plainText)), first instanceof BytesText, encodingOf(args));
    case 'change-each':
      return restoreEach(call(args.map(plainEach)), first, encodingOf(args));
    case 'measure':
      return call(args.map(plainText));
    case 'name':
      return call([findKey(first), ...rest]);
    case 'names':
      return call(args.map(findKey));
    case 'create':
      return create(args, call);
  }
}

/** A type reads texts unless it only holds what it is given. */
function create(args: readonly Value[], call: (args: readonly Value[]) => Value): Value {
  const type = args.find((arg) => arg instanceof PType);
  const value = args.find((arg) => arg instanceof BytesText);
  const isOnly = args.length === 2 && type instanceof PType && type.isInstance(value ?? null);
  if (!(type instanceof PType) || !READING.has(type.kind) || isOnly) return call(args);
  if (isBroken(value ?? null) && !LENIENT.has(type.kind)) throw new PuppetError(INVALID_SEQUENCE);
  const format = type.kind === 'String' ? args.find((arg) => typeof arg === 'string') : undefined;
  if (typeof format === 'string' && format.endsWith('p')) {
    return restore(call(args), value !== undefined && !format.includes('#'));
  }
  // Ruby: Kernel#format gives UTF-8.
  return restore(call(args.map(plainText)), value !== undefined && format === undefined, encodingOf(args));
}

function restoreEach(result: Value, first: Value, encoding: BytesText['encoding']): Value {
  if (!isArray(first)) return restore(result, first instanceof BytesText, encoding);
  if (!isArray(result)) return result;
  return result.map((item, index) => restore(item, first[index] instanceof BytesText, encoding));
}

function restore(result: Value, isKept: boolean, encoding: BytesText['encoding'] = 'ASCII-8BIT'): Value {
  if (typeof result === 'string') return restoreBytes(result, isKept, encoding);
  if (isArray(result)) return result.map((item) => restore(item, isKept, encoding));
  return result;
}

/** UTF-8 when one of the texts is of UTF-8 that is not valid. */
function encodingOf(values: readonly Value[]): BytesText['encoding'] {
  return values.some((value) => isBroken(value) || (isArray(value) && encodingOf(value) === 'UTF-8'))
    ? 'UTF-8'
    : 'ASCII-8BIT';
}

function plainEach(value: Value): Value {
  return isArray(value) ? value.map(plainText) : plainText(value);
}
