/**
 * Types without parameters: Any, Unit, Default and Binary. Follows lib/puppet/pops/types/types.rb.
 */
import { PType } from './ptype.ts';
import { Binary } from './values/binary.ts';
import { DEFAULT, type Value } from './values/values.ts';

export class AnyType extends PType {
  readonly kind = 'Any';

  isInstance(_value: Value): boolean {
    return true;
  }

  override isAssignable(_other: PType): boolean {
    return true;
  }

  protected accepts(_other: PType): boolean {
    return true;
  }
}

/**
 * The element type of an empty collection. Every value is an instance, and it is assignable to and
 * from every type.
 */
export class UnitType extends PType {
  readonly kind = 'Unit';

  isInstance(_value: Value): boolean {
    return true;
  }

  override isAssignable(_other: PType): boolean {
    return true;
  }

  protected accepts(_other: PType): boolean {
    return true;
  }
}

/** The type of the keyword `default`. */
export class DefaultType extends PType {
  readonly kind = 'Default';

  isInstance(value: Value): boolean {
    return value === DEFAULT;
  }

  protected accepts(other: PType): boolean {
    return other.kind === this.kind;
  }
}

export class BinaryType extends PType {
  readonly kind = 'Binary';

  isInstance(value: Value): boolean {
    return value instanceof Binary;
  }

  protected accepts(other: PType): boolean {
    return other.kind === this.kind;
  }
}

export const ANY = new AnyType();
export const UNIT = new UnitType();
export const DEFAULT_TYPE = new DefaultType();
export const BINARY_TYPE = new BinaryType();
