import { isNumber } from '../../types/values/value-kinds.ts';
/**
 * Ruby's `to_s`, `inspect`, `==`, `<=>` and class names, for values where they are known exactly.
 */

import { inspectString } from '../../ruby-core/ruby-inspect.ts';
import { rubyFloat } from '../../ruby-core/ruby-number.ts';
import { compareStrings } from '../../ruby-core/ruby-string.ts';
import { RubySymbol } from '../../serialization/yaml.ts';
import { isStringOrBytes } from '../../types/matching.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { BytesText, plainText } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { fallBack } from './fallback.ts';
import { inspectAddress, printRubyAddress, RubyAddress } from './methods/address-methods.ts';
import { DeferredCall, RubyClass, RubyRange, UNKNOWN } from './objects.ts';

export function isKnownTrue(value: Value): boolean {
  if (value === UNKNOWN || value instanceof DeferredCall) return fallBack('a value that is not known');
  return value !== null && value !== false;
}

/** The Ruby whose text forms code sees. */
export interface TextRules {
  readonly isRuby40: boolean;
}

export function toS(value: Value, rules: TextRules): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'number') return rubyFloat(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof RubySymbol) return value.name;
  if (Array.isArray(value) || value instanceof PuppetHash) return inspect(value, rules);
  if (value instanceof RubyAddress) return printRubyAddress(value);
  if (value instanceof PuppetRegexp) return value.toString();
  return fallBack('the text of an object');
}

/** The text that a template, which is UTF-8, writes for a value. Bytes of ASCII become a part. */
export function toOutput(value: Value, rules: TextRules): string {
  return value instanceof BytesText && /^[\0-\x7f]*$/.test(value.text) ? value.text : toS(value, rules);
}

/** Characters that are printable in all versions of Unicode. */
const PLAIN = /^[\n\t\r\f\v -~\u00a0-\u00ac\u00ae-\u024f\u0400-\u044f\u4e00-\u9fa5]*$/u;

export function inspect(value: Value, rules: TextRules): string {
  if (typeof value === 'string') return PLAIN.test(value) ? inspectString(value) : fallBack('characters of a text');
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[${value.map((item: Value) => inspect(item, rules)).join(', ')}]`;
  if (value instanceof PuppetHash) {
    const keyText = rules.isRuby40 ? inspectKey : inspectOldKey;
    return `{${Array.from(value, ([key, item]) => `${keyText(key, rules)}${inspect(item, rules)}`).join(', ')}}`;
  }
  if (value instanceof RubySymbol) return `:${plainSymbol(value)}`;
  if (value instanceof RubyAddress) return inspectAddress(value);
  return toS(value, rules);
}

function inspectKey(key: Value, rules: TextRules): string {
  return key instanceof RubySymbol ? `${plainSymbol(key)}: ` : `${inspect(key, rules)} => `;
}

function inspectOldKey(key: Value, rules: TextRules): string {
  return `${inspect(key, rules)}=>`;
}

function plainSymbol({ name }: RubySymbol): string {
  return /^[a-zA-Z_]\w*[?!]?$/.test(name) ? name : fallBack('a symbol that is quoted');
}

/** Ruby's `==`. */
export function isEqual(left: Value, right: Value): boolean {
  if (isStringOrBytes(left) && isStringOrBytes(right)) return plainText(left) === plainText(right);
  if (isNumber(left) && isNumber(right)) return left <= right && left >= right;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index] ?? null));
  }
  if (left instanceof PuppetHash && right instanceof PuppetHash) return areEqualHashes(left, right);
  if (isKnown(left) && isKnown(right)) {
    if (left instanceof RubyRange || right instanceof RubyRange) return fallBack('a range compared');
    if (left instanceof RubySymbol && right instanceof RubySymbol) return left.name === right.name;
    if (left instanceof RubyClass && right instanceof RubyClass) return left.name === right.name;
    return typeof left !== 'object' && typeof right !== 'object' ? left === right : left === null && right === null;
  }
  return fallBack('an object compared');
}

function areEqualHashes(left: PuppetHash, right: PuppetHash): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) {
    const other = right.get(key);
    if (other === undefined || !isEqual(value, other)) return false;
  }
  return true;
}

/** Whether `==` of the value's class is implemented here. */
function isKnown(value: Value): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return value instanceof PuppetHash || value instanceof RubySymbol || value instanceof RubyClass;
}

/** Ruby's `<=>`; null when there is no order. */
export function compareRubyValues(left: Value, right: Value): number | null {
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (isNumber(left) && isNumber(right)) {
    if (Number.isNaN(left) || Number.isNaN(right)) return null;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (Array.isArray(left) && Array.isArray(right)) return compareArrays(left, right);
  if (left instanceof RubySymbol && right instanceof RubySymbol) return compareStrings(left.name, right.name);
  if (left === null || right === null || typeof left === 'boolean' || typeof right === 'boolean') {
    return left === right ? 0 : isKnown(left) && isKnown(right) ? null : fallBack('objects compared');
  }
  const isPlain = typeof left !== 'object' && typeof right !== 'object';
  return isPlain ? null : fallBack('objects compared');
}

function compareArrays(left: readonly Value[], right: readonly Value[]): number | null {
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    const order = compareRubyValues(left[index] ?? null, right[index] ?? null);
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
}

const ANCESTORS: Readonly<Record<string, readonly string[]>> = {
  String: ['Comparable'],
  Integer: ['Numeric', 'Comparable'],
  Float: ['Numeric', 'Comparable'],
  Symbol: ['Comparable'],
  Array: ['Enumerable'],
  Hash: ['Enumerable'],
  Range: ['Enumerable'],
};

/** Constants that are classes or modules. */
export const CLASSES: ReadonlySet<string> = new Set([
  'String',
  'Integer',
  'Float',
  'Numeric',
  'Symbol',
  'Array',
  'Hash',
  'Range',
  'Regexp',
  'NilClass',
  'TrueClass',
  'FalseClass',
  'Object',
  'Comparable',
  'Enumerable',
  'IPAddr',
  'Puppet::Pops::Types::PSensitiveType::Sensitive',
]);

export function classOf(value: Value): string {
  if (value instanceof RubySymbol) return 'Symbol';
  if (value instanceof RubyRange) return 'Range';
  if (value instanceof RubyAddress) return 'IPAddr';
  const isKnown =
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    value instanceof PuppetHash ||
    value instanceof PuppetRegexp ||
    value instanceof Sensitive;
  return isKnown ? rubyClassName(value) : fallBack('the class of an object');
}

export function isInstanceOf(value: Value, name: string): boolean {
  const own = classOf(value);
  return own === name || name === 'Object' || (ANCESTORS[own]?.includes(name) ?? false);
}
