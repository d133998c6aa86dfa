import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { basicConstructor } from './construct/basic-constructors.ts';
import { RICH_DATA } from './data-types.ts';
import { inferSet } from './inference.ts';
import { ContainingType, type PType } from './ptype.ts';
import { TupleType } from './record-types.ts';
import { resolveAliases } from './reference-types.ts';
import { partKey } from './values/hash-key.ts';
import { RecursionGuard } from './values/recursion-guard.ts';
import type { Value } from './values/values.ts';
import { variantOf } from './wrapper-types.ts';

/** The accepted types of a single argument, and of an array of arguments. */
interface Accepted {
  readonly single: PType;
  readonly many: PType | null;
  /** Whether an array of arguments may have one element. */
  readonly manyTakesOne: boolean;
}

/** Thrown at the first use of an Init type when its values cannot make an instance of its type. */
export class NotInitializable extends PuppetError {}

/**
 * The type of values from which `new` makes an instance of a type. Follows
 * lib/puppet/pops/types/p_init_type.rb.
 */
export class InitType extends ContainingType {
  readonly kind = 'Init';
  readonly initArgs: readonly Value[];
  #accepted: Accepted | undefined;

  constructor(type: PType | null = null, initArgs: readonly Value[] = []) {
    super(type);
    if (type === null && initArgs.length > 0) {
      throw new PuppetError(ISSUES.INIT_TYPE_UNDEFINED());
    }
    this.initArgs = initArgs;
  }

  /** Throws PuppetError when these values cannot make an instance of the type. */
  get accepted(): Accepted | null {
    if (this.type === null) return null;
    this.#accepted ??= this.#findAccepted(this.type);
    return this.#accepted;
  }

  #findAccepted(type: PType): Accepted {
    const unsupported = ['Init', 'Optional', 'NotUndef'].includes(type.kind);
    const found = unsupported ? null : basicConstructor(resolveAliases(type));
    if (found === null) {
      throw new NotInitializable(`Creation of new instance of type '${type}' is not supported`);
    }
    const tuples = found.signatures.map((signature) => signature.type.params ?? new TupleType());
    return this.initArgs.length === 0 ? withoutArguments(type, tuples) : this.#withArguments(type, tuples);
  }

  #withArguments(type: PType, tuples: readonly TupleType[]): Accepted {
    const given = this.initArgs.map(inferSet);
    const fitting = tuples.filter((tuple) => {
      const { sizeRange } = tuple;
      const first = tuple.types.slice(0, 1);
      return sizeRange.includes(1 + given.length) && tuple.isAssignable(new TupleType([...first, ...given]));
    });
    if (fitting.length === 0) {
      throw new NotInitializable(
        `The type '${this}' does not represent a valid set of parameters for ${type.generalize().name}.new()`,
      );
    }
    return { single: variantOf([type, ...firstTypes(fitting)]), many: null, manyTakesOne: false };
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    const { type, accepted } = this;
    if (type === null || accepted === null) return RICH_DATA.isInstance(value, guard);
    const active = guard ?? new RecursionGuard();
    if (!active.enter(this, value)) return false;
    const result =
      type.isInstance(value, active) ||
      accepted.single.isInstance(value, active) ||
      (accepted.many !== null &&
        (accepted.many.isInstance(value, active) ||
          (accepted.manyTakesOne && accepted.many.isInstance([value], active))));
    active.leave(this, value);
    return result;
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    const { type, accepted } = this;
    if (other instanceof InitType) {
      return type === null || (other.type !== null && type.isAssignable(other.type, guard));
    }
    if (type === null || accepted === null) return RICH_DATA.isAssignable(other, guard);
    const active = guard ?? new RecursionGuard();
    if (!active.enter(this, other)) return false;
    const result =
      type.isAssignable(other, active) ||
      accepted.single.isAssignable(other, active) ||
      (accepted.many !== null &&
        (accepted.many.isAssignable(other, active) ||
          (accepted.manyTakesOne && accepted.many.isAssignable(new TupleType([other]), active))));
    active.leave(this, other);
    return result;
  }

  protected around(type: PType | null): PType {
    return new InitType(type);
  }

  // Puppet: PTypeWithContainedType#normalize omits the required second argument.
  override normalize(): PType {
    if (this.type === null || this.type.normalize() === this.type) return this;
    // Ruby: ArgumentError
    throw new PuppetError('wrong number of arguments (given 1, expected 2)');
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.type?.equalityKey(canonical) ?? ''},${partKey([...this.initArgs])}]`;
  }
}

function firstTypes(tuples: readonly TupleType[]): PType[] {
  return tuples.flatMap((tuple) => tuple.types.slice(0, 1));
}

function takesExactlyOne(tuple: TupleType): boolean {
  return tuple.sizeRange.from === 1n && tuple.sizeRange.to === 1n;
}

function withoutArguments(type: PType, tuples: readonly TupleType[]): Accepted {
  const others = tuples.filter((tuple) => !takesExactlyOne(tuple));
  return {
    single: variantOf([type, ...firstTypes(tuples.filter(takesExactlyOne))]),
    many: others.length === 0 ? null : variantOf(others),
    manyTakesOne: others.some((tuple) => tuple.sizeRange.from === 1n),
  };
}

export const INIT = new InitType();
