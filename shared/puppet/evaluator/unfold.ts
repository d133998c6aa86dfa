import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetIterator } from '../types/values/puppet-iterator.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Returns the elements that `*value` unfolds to: those of an array, hash or iterator; none for
 * undef; otherwise the value itself.
 */
export function unfoldValue(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  if (value instanceof PuppetHash) return [...value.entries()];
  if (value instanceof PuppetIterator) return value.toArray();
  return [value];
}
