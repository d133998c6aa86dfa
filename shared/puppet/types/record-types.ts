/** The types Struct and Tuple. Follows lib/puppet/pops/types/types.rb. */
import { ArrayType, HashType, sizeOf } from './collection-types.ts';
import { PType, type TypeVisitor, UNDEF } from './ptype.ts';
import { ANY_SIZE, IntegerType } from './scalar-types.ts';
import { STRING, StringType } from './string-types.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import type { RecursionGuard } from './values/recursion-guard.ts';
import type { Value } from './values/values.ts';
import { OptionalType } from './wrapper-types.ts';

/** One member of a Struct. An Optional key type means that the key may be missing. */
export class StructElement {
  readonly name: string;
  readonly keyType: PType;
  readonly valueType: PType;

  /** `keyType` is String with an exact value, or Optional of one. */
  constructor(keyType: PType, valueType: PType) {
    this.keyType = keyType;
    this.valueType = valueType;
    const key = keyType instanceof OptionalType ? keyType.type : keyType;
    this.name = key instanceof StringType ? (key.value ?? '') : '';
  }

  static createRequired(name: string, valueType: PType): StructElement {
    return new StructElement(new StringType(name), valueType);
  }

  static createOptional(name: string, valueType: PType): StructElement {
    return new StructElement(new OptionalType(new StringType(name)), valueType);
  }

  get isOptional(): boolean {
    return this.keyType instanceof OptionalType;
  }

  get valueAcceptsUndef(): boolean {
    return this.valueType.isAssignable(UNDEF);
  }

  withValueType(valueType: PType): StructElement {
    return valueType === this.valueType ? this : new StructElement(this.keyType, valueType);
  }
}

/** Hashes with exactly these keys. */
export class StructType extends PType {
  readonly kind = 'Struct';
  readonly elements: readonly StructElement[];
  #byName: ReadonlyMap<string, StructElement> | undefined;

  constructor(elements: readonly StructElement[] = []) {
    super();
    this.elements = elements;
  }

  get byName(): ReadonlyMap<string, StructElement> {
    this.#byName ??= new Map(this.elements.map((element) => [element.name, element]));
    return this.#byName;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (!(value instanceof PuppetHash)) return false;
    let matched = 0;
    for (const element of this.elements) {
      const item = value.get(element.name);
      if (item === undefined) {
        if (!element.isOptional) return false;
      } else if (!element.valueType.isInstance(item, guard)) return false;
      else matched += 1;
    }
    return matched === value.size;
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (other instanceof StructType) return this.#acceptsStruct(other, guard);
    return other instanceof HashType && this.#acceptsHash(other, guard);
  }

  #acceptsStruct(other: StructType, guard?: RecursionGuard): boolean {
    let matched = 0;
    for (const mine of this.elements) {
      const yours = other.byName.get(mine.name);
      if (yours === undefined) {
        if (!mine.isOptional) return false;
        continue;
      }
      matched += 1;
      if (!mine.keyType.isAssignable(yours.keyType, guard)) return false;
      if (!mine.valueType.isAssignable(yours.valueType, guard)) return false;
    }
    return matched === other.byName.size;
  }

  #acceptsHash(other: HashType, guard?: RecursionGuard): boolean {
    const required = this.elements.filter((element) => !element.isOptional);
    const fits = required.every(
      (element) => element.valueType.isAssignable(other.value, guard) && STRING.isAssignable(other.key),
    );
    return fits && this.sizeRange.covers(other.size ?? ANY_SIZE);
  }

  /** The number of entries of an instance. */
  get sizeRange(): IntegerType {
    const required = this.elements.filter((element) => !element.isOptional).length;
    return new IntegerType(BigInt(required), BigInt(this.elements.length));
  }

  override generalize(): PType {
    return this.#withValueTypes((type) => type.generalize());
  }

  override normalize(): PType {
    return this.#withValueTypes((type) => type.normalize());
  }

  #withValueTypes(change: (type: PType) => PType): PType {
    const elements = this.elements.map((element) => element.withValueType(change(element.valueType)));
    return elements.every((element, index) => element === this.elements[index]) ? this : new StructType(elements);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    for (const element of this.elements) {
      element.keyType.accept(visit);
      element.valueType.accept(visit);
    }
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.elements
      .map((element) => `${element.keyType.equalityKey(canonical)}=>${element.valueType.equalityKey(canonical)}`)
      .join(',')}]`;
  }
}

/** A Struct from its value types by key. A `?` behind a key means that the key may be missing. */
export function structOf(types: Readonly<Record<string, PType>>): StructType {
  const elements = Object.entries(types).map(([name, type]) =>
    name.endsWith('?')
      ? StructElement.createOptional(name.slice(0, -1), type)
      : StructElement.createRequired(name, type),
  );
  return new StructType(elements);
}

/** Arrays with a type per position. The last type applies to all further positions. */
export class TupleType extends PType {
  readonly kind = 'Tuple';
  readonly types: readonly PType[];
  readonly size: IntegerType | null;

  constructor(types: readonly PType[] = [], size: IntegerType | null = null) {
    super();
    this.types = types;
    this.size = size?.toSize() ?? null;
  }

  /** The sizes of its instances. */
  get sizeRange(): IntegerType {
    if (this.size !== null) return this.size;
    return this.types.length === 0 ? ANY_SIZE : sizeOf(this.types.length);
  }

  /** The type at a position; undefined for a Tuple without types. */
  typeAt(index: number): PType | undefined {
    return this.types[index] ?? this.types.at(-1);
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (!Array.isArray(value) || !this.sizeRange.includes(value.length)) return false;
    if (this.types.length === 0) return true;
    return value.every((item: Value, index) => this.typeAt(index)?.isInstance(item, guard));
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (this.equals(other)) return true;
    if (other instanceof TupleType) return this.#acceptsTuple(other, guard);
    if (!(other instanceof ArrayType)) return false;
    const size = other.size ?? ANY_SIZE;
    if (!this.sizeRange.covers(size)) return false;
    const limit = size.to === null ? this.types.length : Math.min(this.types.length, Number(size.to));
    return this.types.slice(0, limit).every((type) => type.isAssignable(other.element, guard));
  }

  #acceptsTuple(other: TupleType, guard?: RecursionGuard): boolean {
    const size = this.sizeRange;
    if (!size.covers(other.sizeRange)) return false;
    if (this.types.length === 0) return true;
    if (other.types.length === 0) return size.from === 0n;
    return other.types.every((type, index) => this.typeAt(index)?.isAssignable(type, guard));
  }

  override generalize(): PType {
    return this.#withTypes((type) => type.generalize());
  }

  override normalize(): PType {
    return this.#withTypes((type) => type.normalize());
  }

  #withTypes(change: (type: PType) => PType): PType {
    const types = this.types.map(change);
    return types.every((type, index) => type === this.types[index]) ? this : new TupleType(types, this.size);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    this.size?.accept(visit);
    for (const type of this.types) type.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.types.map((type) => type.equalityKey(canonical)).join(',')};${this.size?.equalityKey(canonical) ?? ''}]`;
  }
}

export const STRUCT = new StructType();
export const TUPLE = new TupleType();
