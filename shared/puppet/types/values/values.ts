/**
 * Values of Puppet expressions.
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
import { contentKey, type HasEqualityKey } from './hash-key.ts';
import type { PuppetHash } from './puppet-hash.ts';
import type { RichKind } from './value-kinds.ts';

/**
 * Base class of all values other than JavaScript primitives, arrays and hashes: types, regexps,
 * Sensitive, ...
 */
export abstract class RichValue implements HasEqualityKey {
  /** The row of `VALUE_KINDS` that holds for it. */
  abstract get valueKind(): RichKind;

  abstract equalityKey(): string;

  eqlKey(): string {
    return this.equalityKey();
  }
}

/** A value that only our own code and Ruby code see. */
export abstract class InternalValue extends RichValue {
  get valueKind(): RichKind {
    return 'Internal';
  }
}

export type Value = null | boolean | bigint | number | string | readonly Value[] | PuppetHash | RichValue;

/** The value of the `default` keyword. */
export class DefaultValue extends RichValue {
  get valueKind(): RichKind {
    return 'Default';
  }

  equalityKey(): string {
    return 'default';
  }
}

export const DEFAULT = new DefaultValue();

/** A value that must not be printed. */
export class Sensitive extends RichValue {
  readonly #value: Value;

  constructor(value: Value) {
    super();
    this.#value = value;
  }

  get valueKind(): RichKind {
    return 'Sensitive';
  }

  unwrap(): Value {
    return this.#value;
  }

  // Puppet: two Sensitive values are equal when their contents are
  // (lib/puppet/pops/types/p_sensitive_type.rb).
  equalityKey(): string {
    return `sensitive:${contentKey(this.#value)}`;
  }

  override toString(): string {
    return 'Sensitive [value redacted]';
  }
}
