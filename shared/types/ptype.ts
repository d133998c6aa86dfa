import { RichValue, type Value } from './values.ts';

/**
 * Base of all Pcore types. A type is a value too. `kind` is the type's simple name (`Integer`, `Struct`, ...), by which
 * code discriminates instead of by class.
 */
export abstract class PType extends RichValue {
  abstract readonly kind: string;

  /** Whether `value` is an instance of this type. */
  abstract isInstance(value: Value): boolean;

  /** Whether every instance of `other` is an instance of this type. */
  abstract isAssignable(other: PType): boolean;

  /** The type as Puppet prints it: `Integer[1, 2]`. */
  abstract override toString(): string;

  equalityKey(): string {
    return `type:${this.toString()}`;
  }
}
