/**
 * The types Variant, Optional, NotUndef, Type and Sensitive. Follows
 * lib/puppet/pops/types/types.rb.
 */
import { mergeSimilar } from './merge-types.ts';
import { ContainingType, joinUnorderedKeys, PType, type TypeVisitor, UNDEF } from './ptype.ts';
import { ANY } from './simple-types.ts';
import type { RecursionGuard } from './values/recursion-guard.ts';
import { Sensitive, type Value } from './values/values.ts';

/** Types without duplicates, in order. */
function distinctTypes(types: readonly PType[]): PType[] {
  const seen = new Set<string>();
  return types.filter((type) => {
    const key = type.equalityKey();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * The only type of `types`, or a Variant of them. Nested Variants are flattened, duplicates
 * removed.
 */
export function variantOf(types: readonly PType[]): PType {
  const flat = distinctTypes(flattenVariants(types));
  const [only] = flat;
  return flat.length === 1 && only ? only : new VariantType(flat);
}

function flattenVariants(types: readonly PType[]): PType[] {
  return types.flatMap((type) => (type instanceof VariantType ? type.types : [type]));
}

/** Maps each type; returns the same array when nothing changed. */
function mapTypes(types: readonly PType[], change: (type: PType) => PType): readonly PType[] {
  const mapped = types.map(change);
  return mapped.every((type, index) => type === types[index]) ? types : mapped;
}

/** Instances of one of the types. */
export class VariantType extends PType {
  readonly kind = 'Variant';
  readonly types: readonly PType[];

  constructor(types: readonly PType[] = []) {
    super();
    this.types = types;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    for (const type of this.types) if (type.isInstance(value, guard)) return true;
    return false;
  }

  override isAssignable(other: PType, guard?: RecursionGuard): boolean {
    if (other.kind === 'Undef' && this.types.length === 0) return false;
    if (!(other instanceof VariantType)) return super.isAssignable(other, guard);
    if (this.types.length === 0) return true;
    return other.types.length > 0 && other.types.every((type) => super.isAssignable(type, guard));
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    return this.types.some((type) => type.isAssignable(other, guard));
  }

  override isKindOfCallable(optional = true): boolean {
    return this.types.every((type) => type.isKindOfCallable(optional));
  }

  override generalize(): PType {
    const types = mapTypes(this.types, (type) => type.generalize());
    return types === this.types ? this : variantOf(types);
  }

  override normalize(): PType {
    if (this.types.length === 0) return this;
    const types = mapTypes(this.types, (type) => type.normalize());
    const [first] = types;
    if (types.length === 1 && first) return first;
    if (types.some((type) => type.kind === 'Undef' || type.kind === 'Optional')) {
      const rest = types.filter((type) => type.kind !== 'Undef').map(withoutOptional);
      return new OptionalType(variantOf(rest)).normalize();
    }
    const flat = flattenVariants(types);
    const merged = mergeSimilar(mergeNotUndefs(flat));
    const [only] = merged;
    if (merged.length === 1 && only) return only;
    return types !== this.types || merged.length !== flat.length ? variantOf(merged) : this;
  }

  protected override acceptParts(visit: TypeVisitor): void {
    for (const type of this.types) type.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return joinUnorderedKeys(
      this.types.map((type) => type.equalityKey(canonical)),
      canonical,
    );
  }
}

function withoutOptional(type: PType): PType {
  return type instanceof OptionalType ? (type.type ?? ANY) : type;
}

function mergeNotUndefs(types: readonly PType[]): readonly PType[] {
  const found = types.filter((type) => type instanceof NotUndefType);
  if (found.length < 2) return types;
  const inner = variantOf(found.map((type) => type.type ?? ANY)).normalize();
  return [...types.filter((type) => type.kind !== 'NotUndef'), new NotUndefType(inner)];
}

/** Undef or an instance of the type; without a type any value. */
export class OptionalType extends ContainingType {
  readonly kind = 'Optional';

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    return value === null || (this.type?.isInstance(value, guard) ?? false);
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    return other.kind === 'Undef' || this.type === null || this.type.isAssignable(other, guard);
  }

  override isKindOfCallable(optional = true): boolean {
    return optional && (this.type?.isKindOfCallable(optional) ?? false);
  }

  protected around(type: PType | null): PType {
    return new OptionalType(type);
  }

  override normalize(): PType {
    const type = this.type?.normalize() ?? null;
    if (type instanceof NotUndefType) return new OptionalType(type.type).normalize();
    if (type?.isAssignable(UNDEF)) return type;
    return type === this.type ? this : this.around(type);
  }
}

/** Any value but undef; with a type, an instance of the type other than undef. */
export class NotUndefType extends ContainingType {
  readonly kind = 'NotUndef';
  constructor(type: PType | null = null) {
    super(type?.kind === 'Any' ? null : type);
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    return value !== null && (this.type === null || this.type.isInstance(value, guard));
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    return !other.isAssignable(UNDEF, guard) && (this.type === null || this.type.isAssignable(other, guard));
  }

  protected around(type: PType | null): PType {
    return new NotUndefType(type);
  }

  override normalize(): PType {
    const type = this.type?.normalize() ?? null;
    if (type instanceof OptionalType) return new NotUndefType(type.type).normalize();
    if (type !== null && !type.isAssignable(UNDEF)) return type;
    return type === this.type ? this : this.around(type);
  }
}

/** Types as values: all types, or those assignable to `type`. */
export class TypeType extends ContainingType {
  readonly kind = 'Type';

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    return value instanceof PType && (this.type === null || this.type.isAssignable(value, guard));
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (!(other instanceof TypeType)) return false;
    return this.type === null || (other.type !== null && this.type.isAssignable(other.type, guard));
  }

  protected around(type: PType | null): PType {
    return new TypeType(type);
  }
}

/** Sensitive values whose content is an instance of the (generalized) type. */
export class SensitiveType extends PType {
  readonly kind = 'Sensitive';
  readonly type: PType;

  constructor(type: PType | null = null) {
    super();
    this.type = type?.generalize() ?? ANY;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    return value instanceof Sensitive && this.type.isInstance(value.unwrap(), guard);
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    return other instanceof SensitiveType && this.type.isAssignable(other.type, guard);
  }

  override normalize(): PType {
    const type = this.type.normalize();
    return type === this.type ? this : new SensitiveType(type);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    this.type.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.type.equalityKey(canonical)}]`;
  }
}

export const VARIANT = new VariantType();
export const OPTIONAL = new OptionalType();
export const NOT_UNDEF = new NotUndefType();
export const TYPE = new TypeType();
export const SENSITIVE = new SensitiveType();
