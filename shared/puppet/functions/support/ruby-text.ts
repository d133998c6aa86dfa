import type { Value } from '../../types/values/values.ts';

/** Returns the name of a value in `no implicit conversion of X into String`. */
export function rubyKindName(value: Value, className: (value: Value) => string): string {
  if (value === null) return 'nil';
  return typeof value === 'boolean' ? String(value) : className(value);
}
