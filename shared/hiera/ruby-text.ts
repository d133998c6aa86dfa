import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import { rubyFloat } from '../util/ruby-float.ts';
import { inspectString } from '../util/ruby-inspect.ts';

/** What Ruby's `to_s` makes of a value that stands in a string of data. */
export function rubyText(value: Value): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : inspect(value);
}

function inspect(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return inspectString(value);
  if (typeof value === 'number') return rubyFloat(value);
  if (value instanceof PuppetHash) {
    return `{${[...value.entries()].map(([key, item]) => `${inspect(key)}=>${inspect(item)}`).join(', ')}}`;
  }
  return Array.isArray(value) ? `[${value.map(inspect).join(', ')}]` : String(value);
}
