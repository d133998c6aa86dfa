import { inspectString } from '../../ruby-core/ruby-inspect.ts';
import { rubyFloat } from '../../ruby-core/ruby-number.ts';
import { infer } from '../inference.ts';
import { PuppetObject } from '../objects/puppet-object.ts';
import { Binary } from '../values/binary.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { PuppetRegexp } from '../values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../values/values.ts';
import { formatLiteral } from './type-formatter.ts';

/** A type or value in format `%p`. With `indent` (levels of two blanks) it is spread over lines. */
export function literalText(value: Value, indent: number | null = null): string {
  return formatLiteral(value, infer, indent);
}

/**
 * Ruby's text forms of values, `to_s` and `inspect`, for Ruby's own functions and string formats.
 */

/** `value.to_s` */
export function rubyToS(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return rubyFloat(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return value === null ? '' : structureText(value);
  }
}

function structureText(value: Exclude<Value, null | string | number | bigint | boolean>): string {
  if (value === DEFAULT) return 'default';
  if (value instanceof PuppetObject) return value.ownText() ?? literalText(value);
  return Array.isArray(value) || value instanceof PuppetHash ? inspectRuby(value) : String(value);
}

/** `value.inspect` */
export function inspectRuby(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return inspectString(value);
  if (typeof value !== 'object') return rubyToS(value);
  if (value === DEFAULT) return ':default';
  if (Array.isArray(value)) return `[${value.map(inspectRuby).join(', ')}]`;
  if (value instanceof PuppetHash) {
    return `{${Array.from(value, ([key, item]) => `${inspectRuby(key)}=>${inspectRuby(item)}`).join(', ')}}`;
  }
  if (value instanceof PuppetRegexp) return value.inspect();
  if (value instanceof Binary) return inspectString(String(value));
  if (value instanceof PuppetObject) return literalText(value);
  if (value instanceof Sensitive) return `#<${value}>`;
  return 'inspect' in value && typeof value.inspect === 'function' ? String(value.inspect()) : String(value);
}
