import type { PType } from '../ptype.ts';
import { getIdentity, hashKey, partKey } from '../values/hash-key.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue, type Value } from '../values/values.ts';

/** What an object needs of its Object type. */
export interface ObjectShape extends PType {
  /** Attributes that tell objects apart. */
  readonly equalityAttributes: readonly string[];
  /** Attributes that a constructor takes, required ones first. */
  readonly constructorAttributes: readonly { readonly name: string; isDefault(value: Value): boolean }[];
  /** The same in the order of their declaration, inherited ones first. */
  readonly givenAttributes: readonly { readonly name: string; isDefault(value: Value): boolean }[];
  /** Whether an object is equal to itself only. */
  readonly comparesIdentity: boolean;
  /** Whether only objects of the very same type can be equal. */
  readonly equalityIncludesType: boolean;
}

/** An instance of an Object type. Attributes that were not given have their default value. */
export class PuppetObject extends RichValue {
  /** The Object type, or its parameterized form. */
  readonly type: PType;
  readonly shape: ObjectShape;
  readonly #attributes: ReadonlyMap<string, Value>;

  constructor(shape: ObjectShape, attributes: ReadonlyMap<string, Value>, type: PType = shape) {
    super();
    this.shape = shape;
    this.type = type;
    this.#attributes = attributes;
  }

  get valueKind(): RichKind {
    return 'Object';
  }

  /** The value of an attribute; undefined when the type has no such attribute. */
  get(attribute: string): Value | undefined {
    return this.#attributes.get(attribute);
  }

  /** Attributes that differ from their default, as given to `new`. */
  toInitHash(): PuppetHash {
    const hash = new PuppetHash();
    for (const attribute of this.shape.givenAttributes) {
      const value = this.#attributes.get(attribute.name) ?? null;
      if (!attribute.isDefault(value)) hash.set(attribute.name, value);
    }
    return hash;
  }

  /** How it shows itself where its class says so; null where it shows as its constructor's call. */
  ownText(): string | null {
    return null;
  }

  equalityKey(): string {
    return this.#keyBy(partKey);
  }

  override eqlKey(): string {
    return this.#keyBy(hashKey);
  }

  #keyBy(keyOf: (value: Value) => Value): string {
    if (this.shape.comparesIdentity) return `object:${getIdentity(this)}`;
    const values = this.shape.equalityAttributes.map((name) => keyOf([this.#attributes.get(name) ?? null]));
    const type = this.shape.equalityIncludesType ? this.shape.equalityKey() : '';
    return `object:${type}(${values.join(',')})`;
  }
}

/** An object of Puppet's own Ruby that says nothing of its attributes when it is shown. */
export class OpaqueObject extends PuppetObject {
  override toInitHash(): PuppetHash {
    return new PuppetHash();
  }
}
