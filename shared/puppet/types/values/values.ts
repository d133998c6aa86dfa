/**
 * What a Puppet expression evaluates to.
 *
 * | Puppet | here |
 * |---|---|
 * | undef | null |
 * | Boolean, String | boolean, string |
 * | Integer | bigint, within 64 bits |
 * | Float | number |
 * | Array | readonly array |
 * | Hash | PuppetHash |
 * | default | DEFAULT |
 * | everything else | a subclass of RichValue |
 *
 * JavaScript's `undefined` is never a Puppet value: it means "there is none".
 */
import { elementKey, type HasEqualityKey } from './hash-key.ts';
import type { PuppetHash } from './puppet-hash.ts';

/**
 * Base of all values that are neither JavaScript primitives, arrays nor hashes: types, regexps,
 * Sensitive, ...
 */
export abstract class RichValue implements HasEqualityKey {
  abstract equalityKey(): string;
}

export type Value = null | boolean | bigint | number | string | readonly Value[] | PuppetHash | RichValue;

/** The value of the `default` keyword. */
export class DefaultValue extends RichValue {
  equalityKey(): string {
    return 'default';
  }
}

export const DEFAULT = new DefaultValue();

/** A value that must not be shown. */
export class Sensitive extends RichValue {
  readonly #value: Value;

  constructor(value: Value) {
    super();
    this.#value = value;
  }

  unwrap(): Value {
    return this.#value;
  }

  // Puppet: two Sensitive values are equal when what they wrap is
  // (lib/puppet/pops/types/p_sensitive_type.rb).
  equalityKey(): string {
    return `sensitive:${elementKey(this.#value)}`;
  }

  override toString(): string {
    return 'Sensitive [value redacted]';
  }
}
