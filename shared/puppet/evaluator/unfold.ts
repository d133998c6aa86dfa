import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetIterator } from '../types/values/puppet-iterator.ts';
import type { Value } from '../types/values/values.ts';

/**
 * The elements of what `*value` unfolds: those of an array, a hash or an iterator, nothing of
 * undef, else itself.
 */
export function unfoldValue(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  if (value instanceof PuppetHash) return [...value.entries()];
  if (value instanceof PuppetIterator) return value.toArray();
  return [value];
}
