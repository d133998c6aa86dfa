/** The types Collection, Array and Hash. Follows lib/puppet/pops/types/types.rb. */
import { PType, type TypeVisitor } from './ptype.ts';
import { ANY_SIZE, IntegerType } from './scalar-types.ts';
import { ANY, UNIT } from './simple-types.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import type { RecursionGuard } from './values/recursion-guard.ts';
import type { Value } from './values/values.ts';

interface TupleLike extends PType {
  readonly kind: 'Tuple';
  readonly types: readonly PType[];
  readonly size: IntegerType | null;
}
interface StructLike extends PType {
  readonly kind: 'Struct';
  readonly elements: readonly { readonly name: string; readonly valueType: PType }[];
}

export function isTuple(type: PType): type is TupleLike {
  return type.kind === 'Tuple';
}

function isStruct(type: PType): type is StructLike {
  return type.kind === 'Struct';
}

export function sizeOf(count: number): IntegerType {
  return new IntegerType(BigInt(count), BigInt(count));
}

function isZero(size: IntegerType | null): boolean {
  return size !== null && size.from === 0n && size.to === 0n;
}

function sizeKey(size: IntegerType | null, canonical: boolean): string {
  return size === null ? '' : size.equalityKey(canonical);
}

/** Arrays and hashes, optionally limited in size. */
export class CollectionType extends PType {
  readonly kind = 'Collection';
  readonly size: IntegerType | null;

  constructor(size: IntegerType | null = null) {
    super();
    this.size = size?.toSize() ?? null;
  }

  isInstance(value: Value): boolean {
    if (Array.isArray(value)) return this.size === null || this.size.includes(value.length);
    return value instanceof PuppetHash && (this.size === null || this.size.includes(value.size));
  }

  protected accepts(other: PType): boolean {
    const size = this.size ?? ANY_SIZE;
    if (other instanceof CollectionType || other instanceof ArrayType || other instanceof HashType) {
      return size.covers(other.size ?? ANY_SIZE);
    }
    if (isTuple(other)) return size.covers(other.size ?? sizeOf(other.types.length));
    return isStruct(other) && size.covers(sizeOf(other.elements.length));
  }

  override generalize(): PType {
    return COLLECTION;
  }

  // Puppet: normalising drops the size (PCollectionType#normalize).
  override normalize(): PType {
    return COLLECTION;
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${sizeKey(this.size, canonical)}]`;
  }
}

export class ArrayType extends PType {
  readonly kind = 'Array';
  readonly element: PType;
  readonly size: IntegerType | null;

  constructor(element: PType | null = null, size: IntegerType | null = null) {
    super();
    this.element = isZero(size) ? UNIT : (element ?? ANY);
    this.size = size?.toSize() ?? null;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (!Array.isArray(value)) return false;
    if (this.size !== null && !this.size.includes(value.length)) return false;
    return this.element.kind === 'Any' || value.every((item: Value) => this.element.isInstance(item, guard));
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    const size = this.size ?? ANY_SIZE;
    if (isTuple(other)) {
      if (!size.covers(other.size ?? sizeOf(other.types.length))) return false;
      return other.types.every((type) => this.element.isAssignable(type, guard));
    }
    if (!(other instanceof ArrayType)) return false;
    return size.covers(other.size ?? ANY_SIZE) && this.element.isAssignable(other.element, guard);
  }

  get isDefault(): boolean {
    return this.size === null && this.element.kind === 'Any';
  }

  get hasEmptyRange(): boolean {
    return isZero(this.size);
  }

  override generalize(): PType {
    if (this.element.kind === 'Any') return ARRAY;
    const element = this.element.generalize();
    return this.size === null && element === this.element ? this : new ArrayType(element);
  }

  override normalize(): PType {
    // Puppet: the size of an Array of Any is dropped (PArrayType#normalize).
    if (this.element.kind === 'Any') return ARRAY;
    const element = this.element.normalize();
    return element === this.element ? this : new ArrayType(element, this.size);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    this.size?.accept(visit);
    this.element.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.element.equalityKey(canonical)},${sizeKey(this.size, canonical)}]`;
  }
}

export class HashType extends PType {
  readonly kind = 'Hash';
  readonly key: PType;
  readonly value: PType;
  readonly size: IntegerType | null;

  constructor(key: PType | null = null, value: PType | null = null, size: IntegerType | null = null) {
    super();
    this.key = isZero(size) ? UNIT : (key ?? ANY);
    this.value = isZero(size) ? UNIT : (value ?? ANY);
    this.size = size?.toSize() ?? null;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (!(value instanceof PuppetHash)) return false;
    if (this.size !== null && !this.size.includes(value.size)) return false;
    if (this.key.kind === 'Any' && this.value.kind === 'Any') return true;
    for (const [key, item] of value.entries()) {
      if (!this.key.isInstance(key, guard) || !this.value.isInstance(item, guard)) return false;
    }
    return true;
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    const size = this.size ?? ANY_SIZE;
    if (isStruct(other)) {
      if (!size.includes(other.elements.length)) return false;
      return other.elements.every(
        (item) => this.key.isInstance(item.name, guard) && this.value.isAssignable(item.valueType, guard),
      );
    }
    if (!(other instanceof HashType)) return false;
    if (size.from === 0n && other.isEmptyHash) return true;
    if (!this.key.isAssignable(other.key, guard) || !this.value.isAssignable(other.value, guard)) return false;
    return size.covers(other.size ?? ANY_SIZE);
  }

  get isDefault(): boolean {
    return this.size === null && this.key.kind === 'Any' && this.value.kind === 'Any';
  }

  /** Whether it is the type of the empty hash. */
  get isEmptyHash(): boolean {
    return this.hasEmptyRange;
  }

  get hasEmptyRange(): boolean {
    return isZero(this.size);
  }

  override generalize(): PType {
    if (this.isDefault || this.isEmptyHash) return this;
    const key = this.key.generalize();
    const value = this.value.generalize();
    return this.size === null && key === this.key && value === this.value ? this : new HashType(key, value);
  }

  override normalize(): PType {
    if (this.isDefault || this.isEmptyHash) return this;
    const key = this.key.normalize();
    const value = this.value.normalize();
    return key === this.key && value === this.value ? this : new HashType(key, value, this.size);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    this.size?.accept(visit);
    this.key.accept(visit);
    this.value.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.key.equalityKey(canonical)},${this.value.equalityKey(canonical)},${sizeKey(this.size, canonical)}]`;
  }
}

export const COLLECTION = new CollectionType();
export const ARRAY = new ArrayType();
export const EMPTY_ARRAY = new ArrayType(UNIT, sizeOf(0));
export const HASH = new HashType();
export const EMPTY_HASH = new HashType(UNIT, UNIT, sizeOf(0));
