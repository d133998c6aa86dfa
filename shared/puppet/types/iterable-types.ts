/** The types Iterable and Iterator. Follows lib/puppet/pops/types/types.rb. */
import { ArrayType, HashType, sizeOf } from './collection-types.ts';
import { infer } from './inference.ts';
import { ContainingType, PType } from './ptype.ts';
import { StructType, TupleType } from './record-types.ts';
import { resolveAliases } from './reference-types.ts';
import { INTEGER, IntegerType } from './scalar-types.ts';
import { UNIT } from './simple-types.ts';
import { EnumType, StringType } from './string-types.ts';
import { BytesText } from './values/bytes-text.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import type { RecursionGuard } from './values/recursion-guard.ts';
import type { Value } from './values/values.ts';
import { TypeType, variantOf } from './wrapper-types.ts';

export class IterableType extends ContainingType {
  readonly kind = 'Iterable';

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (this.type !== null && this.type.kind !== 'Any') return this.isAssignable(infer(value), guard);
    if (typeof value === 'string' || Array.isArray(value) || value instanceof PuppetHash) return true;
    if (value instanceof BytesText) return true;
    if (typeof value === 'bigint') return value >= 0n;
    if (!(value instanceof PType)) return isIterator(value) || hasElements(value);
    const type = resolveAliases(value);
    return type instanceof EnumType || (type instanceof IntegerType && type.isFinite);
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    const element = iterableElement(other);
    if (element === undefined) return false;
    if (this.type === null || this.type.kind === 'Any') return true;
    return element !== null && this.type.isAssignable(element, guard);
  }

  protected around(type: PType | null): PType {
    return new IterableType(type);
  }
}

export class IteratorType extends ContainingType {
  readonly kind = 'Iterator';

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    return isIterator(value) && this.isAssignable(infer(value), guard);
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (!(other instanceof IteratorType)) return false;
    return this.type === null || (other.type !== null && this.type.isAssignable(other.type, guard));
  }

  protected around(type: PType | null): PType {
    return new IteratorType(type);
  }
}

function isIterator(value: Value): boolean {
  if (typeof value !== 'object' || value === null || value instanceof PType) return false;
  return 'type' in value && value.type instanceof IteratorType;
}

/** Whether it is an object with elements, as `PuppetObject.elements` says. */
function hasElements(value: Value): boolean {
  if (typeof value !== 'object' || value === null || !('elements' in value)) return false;
  return typeof value.elements === 'function' && value.elements() !== null;
}

/**
 * The type of the elements of an iteration over an instance of `type`. Null when it is unknown;
 * undefined when the instance is not iterable.
 */
function iterableElement(type: PType): PType | null | undefined {
  const target = resolveAliases(type);
  if (target instanceof IterableType || target instanceof IteratorType) return target.type;
  if (target instanceof StringType || target instanceof EnumType) return SINGLE_CHARACTER;
  if (target instanceof IntegerType) return INTEGER;
  if (target instanceof ArrayType) return target.element.kind === 'Any' ? null : target.element;
  if (target instanceof HashType) return hashEntry(target);
  if (target instanceof StructType) return structEntry(target);
  if (target instanceof TupleType) return variantOf(target.types);
  if (target.kind === 'Collection') return null;
  return target instanceof TypeType ? typeElement(target.type) : undefined;
}

const SINGLE_CHARACTER = new StringType(new IntegerType(1n, 1n));

function hashEntry(type: HashType): PType {
  const anything = type.isDefault || type.isEmptyHash;
  return new TupleType(anything ? [UNIT, UNIT] : [type.key, type.value], sizeOf(2));
}

function structEntry(type: StructType): PType {
  if (type.elements.length === 0) return new TupleType([UNIT, UNIT], sizeOf(2));
  const keys = variantOf(type.elements.map((element) => element.keyType));
  const values = variantOf(type.elements.map((element) => element.valueType));
  return new TupleType([keys, values], sizeOf(2));
}

/** The element type of a type that is itself iterable: an Enum or a finite Integer range. */
function typeElement(type: PType | null): PType | undefined {
  if (type instanceof EnumType) return type;
  return type instanceof IntegerType && type.isFinite ? type : undefined;
}

export const ITERABLE = new IterableType();
export const ITERATOR = new IteratorType();
