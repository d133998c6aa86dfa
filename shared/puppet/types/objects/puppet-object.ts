import type { PType } from '../ptype.ts';
import { getIdentity, hashKey, partKey } from '../values/hash-key.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue, type Value } from '../values/values.ts';

/** The part of an Object type that its objects use. */
export interface ObjectShape extends PType {
  /** Attributes that objects are compared by. */
  readonly equalityAttributes: readonly string[];
  /** Attributes that a constructor takes, required ones first. */
  readonly constructorAttributes: readonly { readonly name: string; isDefault(value: Value): boolean }[];
  /** The same attributes in the order of their declaration, inherited ones first. */
  readonly givenAttributes: readonly { readonly name: string; isDefault(value: Value): boolean }[];
  /** Whether an object is only equal to itself. */
  readonly comparesIdentity: boolean;
  /** Whether only objects of exactly the same type can be equal. */
  readonly equalityIncludesType: boolean;
}

/** An instance of an Object type. Omitted attributes have their default value. */
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

  /** Attributes that differ from their default, as arguments of `new`. */
  toInitHash(): PuppetHash {
    const hash = new PuppetHash();
    for (const attribute of this.shape.givenAttributes) {
      const value = this.#attributes.get(attribute.name) ?? null;
      if (!attribute.isDefault(value)) hash.set(attribute.name, value);
    }
    return hash;
  }

  /** The text of an object whose class defines one; null when it prints as a constructor call. */
  ownText(): string | null {
    return null;
  }

  /** The values that an iteration over the object visits; null when it cannot be iterated over. */
  elements(): readonly Value[] | null {
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

/** An object of Puppet's own Ruby classes that prints without its attributes. */
export class OpaqueObject extends PuppetObject {
  override toInitHash(): PuppetHash {
    return new PuppetHash();
  }
}
