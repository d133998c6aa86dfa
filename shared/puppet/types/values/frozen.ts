import { PuppetHash } from './puppet-hash.ts';
import type { Value } from './values.ts';

/**
 * Freezes an array or a hash with all that is in it, so that code of modules in Ruby can't change
 * it either; other values are left alone. Returns the value. Puppet: Scope#deep_freeze,
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

/** Whether it is an array or a hash that was frozen. */
export function isFrozen(value: Value): boolean {
  if (value instanceof PuppetHash) return value.isFrozen;
  return Array.isArray(value) && Object.isFrozen(value);
}
