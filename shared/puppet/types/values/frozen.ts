import { PuppetHash } from './puppet-hash.ts';
import type { Value } from './values.ts';

/**
 * Freezes an array or hash and everything in it, so that Ruby code of modules cannot change it
 * either. Other values are not affected. Returns the value. Puppet: Scope#deep_freeze,
 * lib/puppet/parser/scope.rb
 */
export function freezeDeep<T extends Value | undefined>(value: T): T {
  if (value === undefined || isFrozen(value)) return value;
  if (value instanceof PuppetHash) {
    value.freeze();
    for (const [key, item] of value.entries()) {
      freezeDeep(key);
      freezeDeep(item);
    }
  } else if (Array.isArray(value)) {
    Object.freeze(value);
    for (const item of value) freezeDeep(item);
  }
  return value;
}

/** Whether the value is a frozen array or hash. */
export function isFrozen(value: Value): boolean {
  if (value instanceof PuppetHash) return value.isFrozen;
  return Array.isArray(value) && Object.isFrozen(value);
}
