import { hashKey } from '../../types/values/hash-key.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';

/** Ruby's `==`: strings by every letter, 1 == 1.0. */
export function rubyEquals(left: Value, right: Value): boolean {
  if (isNumber(left) && isNumber(right)) return left <= right && left >= right;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, index) => rubyEquals(value, right[index] ?? null));
  }
  if (left instanceof PuppetHash && right instanceof PuppetHash) {
    return left.size === right.size && [...left].every(([key, value]) => sameEntry(right.get(key), value));
  }
  return hashKey(left) === hashKey(right);
}

function sameEntry(found: Value | undefined, value: Value): boolean {
  return found !== undefined && rubyEquals(found, value);
}

function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Values without those that are `eql?` to an earlier one. */
export function uniqueBy(values: Iterable<Value>, keyOf: (value: Value) => Value = (value) => value): Value[] {
  const seen = new Set<unknown>();
  const result: Value[] = [];
  for (const value of values) {
    const key = hashKey(keyOf(value));
    if (seen.has(key)) continue;
    seen.add(key);
    result.push(value);
  }
  return result;
}
