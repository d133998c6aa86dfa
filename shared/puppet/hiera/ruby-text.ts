import { inspectString } from '../ruby-core/ruby-inspect.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** Returns Ruby's `to_s` of a value interpolated into data. */
export function rubyText(value: Value): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : inspectValue(value);
}

/** Returns Ruby's `inspect` of a value. */
export function inspectValue(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return inspectString(value);
  if (typeof value === 'number') return rubyFloat(value);
  if (value instanceof PuppetHash) {
    return `{${[...value.entries()].map(([key, item]) => `${inspectValue(key)}=>${inspectValue(item)}`).join(', ')}}`;
  }
  return Array.isArray(value) ? `[${value.map(inspectValue).join(', ')}]` : String(value);
}
