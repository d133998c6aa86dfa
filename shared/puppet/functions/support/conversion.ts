/** Implicit conversions of Ruby's core methods, with their errors. */
import { PuppetError } from '../../errors/puppet-error.ts';
import { LegacyResourceReference } from '../../evaluator/resource-reference.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import type { Value } from '../../types/values/values.ts';
import { rubyKindName } from './ruby-text.ts';

/** A string argument of a method written in C. */
export function implicitString(value: Value): string {
  if (typeof value === 'string') return value;
  const name = value instanceof LegacyResourceReference ? 'Puppet::Resource' : rubyKindName(value, rubyClassName);
  // Ruby: TypeError
  throw new PuppetError(`no implicit conversion of ${name} into String`);
}

/** Ruby's error for a method that a class does not have. */
export function undefinedMethodError(method: string, value: Value, shown: string): PuppetError {
  // Ruby: NoMethodError
  return new PuppetError(`undefined method \`${method}' for ${shown}:${rubyClassName(value)}`);
}

/** All arrays within arrays opened up. */
export function flattenDeep(values: readonly Value[]): Value[] {
  return values.flatMap((value): readonly Value[] => (Array.isArray(value) ? flattenDeep(value) : [value]));
}

/** Whether Puppet takes a value for true: everything but undef and false. */
export function isTruthy(value: Value): boolean {
  return value !== null && value !== false;
}
