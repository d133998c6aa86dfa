import { RaisedError } from '../errors/lookup-error.ts';
import { inferSet } from './inference.ts';
import { describeMismatch } from './mismatch-describer.ts';
import type { PType } from './ptype.ts';
import type { Value } from './values/values.ts';

/** The value, when it is an instance; else throws `<subject> has wrong type, expects ...`. */
export function assertInstance(subject: string, type: PType, value: Value): Value {
  if (type.isInstance(value)) return value;
  throw new RaisedError(describeMismatch(`${subject} has wrong type,`, type, inferSet(value)));
}

/** The type, when it is assignable; else throws `<subject> is incorrect, expects ...`. */
export function assertAssignable(subject: string, expected: PType, actual: PType): PType {
  if (expected.isAssignable(actual)) return actual;
  throw new RaisedError(describeMismatch(`${subject} is incorrect,`, expected, actual));
}
