import type { Value } from '../../types/values/values.ts';

/** What a value is called in `no implicit conversion of X into String`. */
export function rubyKindName(value: Value, className: (value: Value) => string): string {
  if (value === null) return 'nil';
  return typeof value === 'boolean' ? String(value) : className(value);
}
