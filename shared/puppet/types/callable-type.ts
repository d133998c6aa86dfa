import { PType, type TypeVisitor, UNDEF } from './ptype.ts';
import type { TupleType } from './record-types.ts';
import { ANY } from './simple-types.ts';
import type { RecursionGuard } from './values/recursion-guard.ts';
import type { Value } from './values/values.ts';

/**
 * The type of functions and lambdas, by their parameters, block and result. With null parameters it
 * matches all callables. Follows PCallableType of lib/puppet/pops/types/types.rb.
 */
export class CallableType extends PType {
  readonly kind = 'Callable';
  readonly params: TupleType | null;
  readonly block: PType | null;
  readonly returns: PType | null;

  constructor(params: TupleType | null = null, block: PType | null = null, returns: PType | null = null) {
    super();
    this.params = params;
    this.block = block;
    this.returns = returns?.kind === 'Any' ? null : returns;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (typeof value !== 'object' || value === null || value instanceof PType || !('type' in value)) return false;
    return value.type instanceof CallableType && this.isAssignable(value.type, guard);
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (!(other instanceof CallableType)) return false;
    if (this.returns !== null && !this.returns.isAssignable(other.returns ?? ANY, guard)) return false;
    if (this.params === null) return true;
    // Parameters are contravariant: `other` must accept every argument list that this type accepts.
    if (other.params === null || !other.params.isAssignable(this.params, guard)) return false;
    return (other.block ?? UNDEF).isAssignable(this.block ?? UNDEF, guard);
  }

  override isKindOfCallable(): boolean {
    return true;
  }

  override generalize(): PType {
    return this.#withParts((type) => type.generalize());
  }

  override normalize(): PType {
    return this.#withParts((type) => type.normalize());
  }

  #withParts(change: (type: PType) => PType): PType {
    const changed = this.params === null ? null : change(this.params);
    const params = isTuple(changed) ? changed : this.params;
    const block = this.block && change(this.block);
    const returns = this.returns && change(this.returns);
    const same = params === this.params && block === this.block && returns === this.returns;
    return same ? this : new CallableType(params, block, returns);
  }

  protected override acceptParts(visit: TypeVisitor): void {
    this.params?.accept(visit);
    this.block?.accept(visit);
    this.returns?.accept(visit);
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${[this.params, this.block, this.returns].map((type) => type?.equalityKey(canonical) ?? '').join(';')}]`;
  }
}

function isTuple(type: PType | null): type is TupleType {
  return type?.kind === 'Tuple';
}

export const CALLABLE = new CallableType();
