import { RaisedError } from '../errors/lookup-error.ts';
import { inferSet } from './inference.ts';
import { describeMismatch } from './mismatch-describer.ts';
import type { PType } from './ptype.ts';
import type { Value } from './values/values.ts';

/**
 * Returns the value if it is an instance of `type`. Throws `<subject> has wrong type, expects ...`
 * otherwise.
 */
export function assertInstance(subject: string, type: PType, value: Value): Value {
  if (type.isInstance(value)) return value;
  throw new RaisedError(describeMismatch(`${subject} has wrong type,`, type, inferSet(value)));
}

/** Returns the type if it is assignable. Throws `<subject> is incorrect, expects ...` otherwise. */
export function assertAssignable(subject: string, expected: PType, actual: PType): PType {
  if (expected.isAssignable(actual)) return actual;
  throw new RaisedError(describeMismatch(`${subject} is incorrect,`, expected, actual));
}
