/** The types TypeReference and TypeAlias. Follows lib/puppet/pops/types/types.rb. */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { PType, type TypeVisitor, type WrapperType } from './ptype.ts';
import { RecursionGuard } from './values/recursion-guard.ts';
import type { Value } from './values/values.ts';
import { VariantType, variantOf } from './wrapper-types.ts';

/** An unresolved type, known by its text only. It has no instances. */
export class TypeReferenceType extends PType {
  readonly kind = 'TypeReference';
  readonly typeString: string;

  constructor(typeString = 'UnresolvedReference') {
    super();
    this.typeString = typeString;
  }

  isInstance(_value: Value): boolean {
    return false;
  }

  protected accepts(other: PType): boolean {
    return this.equals(other);
  }

  protected override parametersKey(): string {
    return `[${JSON.stringify(this.typeString)}]`;
  }
}

/**
 * A named alias of a type. It is resolved at first use, so that aliases can refer to each other.
 */
export class TypeAliasType extends PType {
  readonly kind = 'TypeAlias';
  readonly #name: string;
  /** Resolves the type; null afterwards, so that the closure can be collected. */
  #resolve: (() => PType) | null;
  readonly #normalizes: boolean;
  #resolved: PType | undefined;
  #resolving = false;
  #recursive: boolean | undefined;
  #visiting = false;

  /** `normalizes`: whether the resolved type is normalized. */
  constructor(name: string, resolve: () => PType, normalizes = true) {
    super();
    this.#normalizes = normalizes;
    this.#name = name;
    this.#resolve = resolve;
  }

  override get name(): string {
    return this.#name;
  }

  /**
   * The aliased type. Throws PuppetError when the alias resolves only to itself or to other such
   * aliases. During resolution it returns an unresolved type. Puppet: PTypeAliasType#resolve
   */
  get resolvedType(): PType {
    if (this.#resolved) return this.#resolved;
    if (this.#resolving) return TYPE_REFERENCE;
    if (!this.#resolve) throw new PuppetError(ISSUES.TYPE_UNRESOLVED({ name: this.#name }));
    this.#resolving = true;
    try {
      const type = this.#resolve();
      this.#resolved = this.#normalizes ? type.normalize() : type;
      this.#settle();
      this.#resolve = null;
      return this.#resolved;
    } catch (error) {
      this.#resolved = undefined;
      throw error;
    } finally {
      this.#resolving = false;
    }
  }

  /** Whether resolution is in progress. */
  get isResolving(): boolean {
    return this.#resolving;
  }

  /** Whether the aliased type contains the alias itself; true while resolution is in progress. */
  get isRecursive(): boolean {
    if (this.#resolving) return true;
    return this.#recursive ?? this.#findsItself();
  }

  #settle(): void {
    if (!this.#resolved) return;
    if (!hasRealType(this.#resolved, new Set([this]))) {
      throw new PuppetError(ISSUES.TYPE_ALIAS_UNRESOLVABLE({ name: this.#name }));
    }
    if (this.#resolved instanceof VariantType) this.#resolved = this.#withoutItself(this.#resolved);
  }

  /** Removes the alias itself from a Variant, where it adds nothing. */
  #withoutItself(variant: VariantType): PType {
    const real = variant.types.filter((type) => type !== this && hasRealType(type, new Set()));
    return real.length === variant.types.length ? variant : variantOf(real);
  }

  #findsItself(): boolean {
    let found = false;
    let isCertain = true;
    const seen = new Set<PType>();
    this.resolvedType.accept((type) => {
      if (type === this) found = true;
      if (type instanceof TypeAliasType && type.isResolving) isCertain = false;
      if (found || seen.has(type)) return false;
      seen.add(type);
      return true;
    });
    if (isCertain || found) this.#recursive = found;
    return found || !isCertain;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (!this.isRecursive) return this.resolvedType.isInstance(value, guard);
    const active = guard ?? new RecursionGuard();
    if (!active.enter(this, value)) return false;
    const result = this.resolvedType.isInstance(value, active);
    active.leave(this, value);
    return result;
  }

  override isAssignable(other: PType, guard?: RecursionGuard): boolean {
    if (other === this) return true;
    if (!this.isRecursive) return this.resolvedType.isAssignable(other, guard);
    const active = guard ?? new RecursionGuard();
    if (!active.enter(this, other)) return true;
    const result = super.isAssignable(other, active);
    active.leave(this, other);
    return result;
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    return this.resolvedType.isAssignable(other, guard);
  }

  protected override acceptsWrapper(other: WrapperType, guard?: RecursionGuard): boolean {
    return this.resolvedType.isAssignable(other, guard);
  }

  override isKindOfCallable(optional = true): boolean {
    return !this.isRecursive && this.resolvedType.isKindOfCallable(optional);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    if (this.#visiting) return;
    this.#visiting = true;
    try {
      this.resolvedType.accept(visit);
    } finally {
      this.#visiting = false;
    }
  }

  protected override parametersKey(): string {
    return `[${this.#name}]`;
  }
}

/** Whether the type contains anything besides aliases and Variants of aliases. */
function hasRealType(type: PType, seen: Set<PType>): boolean {
  if (seen.has(type)) return false;
  if (type instanceof TypeAliasType) {
    // Puppet: an alias counts as a real type while it is being resolved.
    if (type.isResolving) return true;
    seen.add(type);
    return hasRealType(type.resolvedType, seen);
  }
  if (type instanceof VariantType) return type.types.some((option) => hasRealType(option, seen));
  return true;
}

/** Unwraps aliases. */
export function resolveAliases(type: PType): PType {
  let current = type;
  while (current instanceof TypeAliasType) current = current.resolvedType;
  return current;
}

export const TYPE_REFERENCE = new TypeReferenceType();
export const TYPE_ALIAS = new TypeAliasType('UnresolvedAlias', () => TYPE_REFERENCE);
