import { PuppetError } from '../../errors/puppet-error.ts';
import { LegacyResourceReference } from '../../evaluator/resource-reference.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { checkFlatSize } from '../../types/values/check-size.ts';
import type { Value } from '../../types/values/values.ts';

/** Implicit conversions of Ruby's core methods, with their errors. */

/** Converts the String argument of a Ruby method written in C. */
export function implicitString(value: Value): string {
  if (typeof value === 'string') return value;
  const name = value instanceof LegacyResourceReference ? 'Puppet::Resource' : rubyKindName(value, rubyClassName);
  // Ruby: TypeError
  throw new PuppetError(`no implicit conversion of ${name} into String`);
}

/** Ruby's error for a method that the class does not have. */
export function undefinedMethodError(method: string, value: Value, shown: string): PuppetError {
  // Ruby: NoMethodError
  return new PuppetError(`undefined method \`${method}' for ${shown}:${rubyClassName(value)}`);
}

/** Flattens nested arrays at all depths. */
export function flattenDeep(values: readonly Value[]): Value[] {
  checkFlatSize(values);
  return flattenAll(values);
}

function flattenAll(values: readonly Value[]): Value[] {
  return values.flatMap((value): readonly Value[] => (Array.isArray(value) ? flattenAll(value) : [value]));
}

/** Whether Puppet treats a value as true: every value except undef and false. */
export function isTruthy(value: Value): boolean {
  return value !== null && value !== false;
}

/** Returns the name of a value in `no implicit conversion of X into String`. */
export function rubyKindName(value: Value, className: (value: Value) => string): string {
  if (value === null) return 'nil';
  return typeof value === 'boolean' ? String(value) : className(value);
}
