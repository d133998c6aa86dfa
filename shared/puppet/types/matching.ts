import { PType } from './ptype.ts';
import { hashKey } from './values/hash-key.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { DEFAULT, type Value } from './values/values.ts';
import { SemVer } from './versions/sem-ver.ts';
import { SemVerRange } from './versions/sem-ver-range.ts';

/**
 * Puppet's `==`: strings without regard to case, numbers by value, arrays and hashes by their
 * contents.
 */
export function puppetEquals(a: Value, b: Value): boolean {
  if (typeof a === 'string') return typeof b === 'string' && (a === b || a.toLowerCase() === b.toLowerCase());
  if (typeof a === 'bigint' || typeof a === 'number') {
    // biome-ignore lint/suspicious/noDoubleEquals: 1 and 1.0 are equal, and only `==` compares a bigint with a number
    return (typeof b === 'bigint' || typeof b === 'number') && a == b;
  }
  if (typeof a !== 'object' || a === null) return a === b;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item: Value, index) => puppetEquals(item, b[index]));
  }
  if (a instanceof PuppetHash) {
    if (!(b instanceof PuppetHash) || a.size !== b.size) return false;
    return [...a.entries()].every(([key, item]) => puppetEquals(item, b.get(key) ?? null));
  }
  if (a instanceof PType) return b instanceof PType && a.equals(b);
  return hashKey(a) === hashKey(b);
}

/**
 * Puppet's match of a value with a pattern, as `case` options do: regexps, types, versions, arrays
 * and hashes of them.
 */
export function matchesPattern(value: Value, pattern: Value): boolean {
  if (pattern instanceof PuppetRegexp) return typeof value === 'string' && pattern.test(value);
  if (pattern instanceof PType) return pattern.isInstance(value);
  if (pattern === DEFAULT) return true;
  if (pattern instanceof SemVer || pattern instanceof SemVerRange) return matchesVersion(value, pattern);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return false;
    return pattern.every((item: Value, index) => matchesPattern(value[index] ?? null, item));
  }
  if (pattern instanceof PuppetHash) {
    if (!(value instanceof PuppetHash)) return false;
    return [...pattern.entries()].every(([key, item]) => matchesPattern(value.get(key) ?? null, item));
  }
  return puppetEquals(value, pattern);
}

function matchesVersion(value: Value, pattern: SemVer | SemVerRange): boolean {
  const version = typeof value === 'string' ? (SemVer.isValid(value) ? SemVer.parse(value) : null) : value;
  if (!(version instanceof SemVer)) return false;
  return pattern instanceof SemVer ? pattern.equalityKey() === version.equalityKey() : pattern.includes(version);
}
