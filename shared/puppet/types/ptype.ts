import { formatType } from './format/type-formatter.ts';
import { RecursionGuard as Guard, type RecursionGuard } from './values/recursion-guard.ts';
import type { RichKind } from './values/value-kinds.ts';
import { RichValue, type Value } from './values/values.ts';

/** Visits a type; returns false to skip the types that it contains. */
export type TypeVisitor = (type: PType) => boolean;

/**
 * Base class of all Pcore types. A type is also a value. `kind` is the type's simple name
 * (`Integer`, `Struct`, ...); code discriminates by `kind` instead of by class.
 */
export abstract class PType extends RichValue {
  abstract readonly kind: string;
  #key: string | undefined;
  #canonicalKey: string | undefined;

  get valueKind(): RichKind {
    return 'Type';
  }

  /** Whether `value` is an instance of this type. */
  abstract isInstance(value: Value, guard?: RecursionGuard): boolean;

  /** Whether every instance of `other` is an instance of this type. */
  isAssignable(other: PType, guard?: RecursionGuard): boolean {
    if (other === this) return true;
    if (isWrapper(other)) return this.acceptsWrapper(other, guard);
    return this.accepts(other, guard);
  }

  /**
   * Like `isAssignable`, for an `other` that is not an alias, Variant, Optional, NotUndef or Unit.
   */
  protected abstract accepts(other: PType, guard?: RecursionGuard): boolean;

  /**
   * Puppet: PAnyType#assignable? (lib/puppet/pops/types/types.rb) unwraps these types before it
   * asks the type itself.
   */
  protected acceptsWrapper(other: WrapperType, guard?: RecursionGuard): boolean {
    switch (other.kind) {
      case 'Unit':
        return true;
      case 'TypeAlias':
        return this.acceptsAlias(other, guard);
      case 'Variant':
        if (this.kind === 'Any') return true;
        if (this.kind === 'NotUndef' && other.types.length === 0) return this.accepts(other, guard);
        return other.types.length > 0 && other.types.every((type) => this.isAssignable(type, guard));
      case 'Optional':
        return this.isAssignable(UNDEF, guard) && (other.type === null || this.isAssignable(other.type, guard));
      case 'NotUndef':
        if (other.type !== null && !other.type.isAssignable(UNDEF, guard)) return this.isAssignable(other.type, guard);
        return this.accepts(other, guard);
    }
  }

  protected acceptsAlias(other: AliasLike, guard?: RecursionGuard): boolean {
    if (!other.isRecursive) return this.isAssignable(other.resolvedType, guard);
    const active = guard ?? new Guard();
    if (!active.enter(this, other)) return true;
    const result = this.isAssignable(other.resolvedType, active);
    active.leave(this, other);
    return result;
  }

  /** The type as Puppet prints it: `Integer[1, 2]`. */
  override toString(): string {
    return formatType(this);
  }

  /** The type's name in messages: an alias or Object type's own name, else `kind`. */
  get name(): string {
    return this.kind;
  }

  /** The type without sizes, ranges and values: Integer[1, 2] becomes Integer. */
  generalize(): PType {
    return this;
  }

  /** An equal type in its simplest form: a Variant of Enums becomes one Enum, and so on. */
  normalize(): PType {
    return this;
  }

  /** Calls `visit` with this type and, if that returns true, with the types that it contains. */
  accept(visit: TypeVisitor): void {
    if (visit(this)) this.acceptParts(visit);
  }

  protected acceptParts(_visit: TypeVisitor): void {}

  /** Whether the type is a Callable or, with `optional`, an Optional Callable. */
  isKindOfCallable(_optional = true): boolean {
    return false;
  }

  /**
   * Puppet's `==` of types. The order of a Variant's types and of a Pattern's patterns is ignored.
   */
  equals(other: PType): boolean {
    return this === other || this.equalityKey(true) === other.equalityKey(true);
  }

  /** Types with equal keys are the same hash key; types with equal canonical keys are `==`. */
  equalityKey(canonical = false): string {
    if (canonical) {
      this.#canonicalKey ??= `type:${this.kind}${this.parametersKey(true)}`;
      return this.#canonicalKey;
    }
    this.#key ??= `type:${this.kind}${this.parametersKey(false)}`;
    return this.#key;
  }

  /** The part of the key that distinguishes two types of one kind. */
  protected parametersKey(_canonical: boolean): string {
    return '';
  }
}

/** A type with at most one type in it. Puppet: PTypeWithContainedType. */
export abstract class ContainingType extends PType {
  readonly type: PType | null;

  constructor(type: PType | null = null) {
    super();
    this.type = type;
  }

  /** A type of the same kind around another type. */
  protected abstract around(type: PType | null): PType;

  override generalize(): PType {
    const type = this.type?.generalize() ?? null;
    return type === this.type ? this : this.around(type);
  }

  override normalize(): PType {
    const type = this.type?.normalize() ?? null;
    return type === this.type ? this : this.around(type);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    this.type?.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.type?.equalityKey(canonical) ?? ''}]`;
  }
}

/** Joins keys of types whose order only matters for hash keys: canonical keys are sorted. */
export function joinUnorderedKeys(keys: readonly string[], canonical: boolean): string {
  return `[${(canonical ? keys.toSorted() : keys).join(',')}]`;
}

interface AliasLike extends PType {
  readonly kind: 'TypeAlias';
  readonly isRecursive: boolean;
  readonly resolvedType: PType;
}
interface VariantLike extends PType {
  readonly kind: 'Variant';
  readonly types: readonly PType[];
}
interface ContainerLike extends PType {
  readonly kind: 'Optional' | 'NotUndef';
  readonly type: PType | null;
}
interface UnitLike extends PType {
  readonly kind: 'Unit';
}
export type WrapperType = AliasLike | VariantLike | ContainerLike | UnitLike;

const WRAPPERS: ReadonlySet<string> = new Set(['TypeAlias', 'Variant', 'Optional', 'NotUndef', 'Unit']);

function isWrapper(type: PType): type is WrapperType {
  return WRAPPERS.has(type.kind);
}

export class UndefType extends PType {
  readonly kind = 'Undef';

  isInstance(value: Value): boolean {
    return value === null;
  }

  protected accepts(other: PType): boolean {
    return other.kind === 'Undef';
  }
}

export const UNDEF = new UndefType();
