import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../ruby-core/ruby-float.ts';
import { parseRubyJson } from '../types/format/json-reader.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Parses a JSON text to Puppet data. Integers of any size become Integer, numbers with a fraction
 * or an exponent Float, and objects hashes in the order of the text; the last of equal keys wins.
 * Throws SyntaxError with the text of Ruby's parser.
 */
export function parseJson(text: string): Value {
  return parseRubyJson(text);
}

/** Thrown for a number that JSON cannot represent. */
export class NotJson extends PuppetError {}

/**
 * Prints data as Ruby's `JSON.generate` does. Throws TypeError for a value that is not data, and
 * NotJson for a number that JSON cannot represent.
 */
export function printJson(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotJson(`${rubyFloat(value)} not allowed in JSON`);
    return rubyFloat(value);
  }
  if (isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (!(value instanceof PuppetHash)) throw new TypeError(`${value.constructor.name} is no JSON data`);
  let members = '';
  for (const [key, item] of value.entries()) {
    members += `${members === '' ? '' : ','}${JSON.stringify(keyText(key))}:${printJson(item)}`;
  }
  return `{${members}}`;
}

/**
 * Converts data to the result of `JSON.parse`: Integers and Floats become numbers, hashes objects.
 */
export function toPlainJson(value: Value): unknown {
  return JSON.parse(printJson(value));
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  return key === null ? '' : printJson(key);
}

function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
