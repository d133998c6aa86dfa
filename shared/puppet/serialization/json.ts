import type { WorkSteps } from '../../util/in-steps.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import { parseRubyJson, parseRubyJsonInSteps } from '../types/format/json-reader.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Parses a JSON text to Puppet data. Integers of any size become Integer, numbers with a fraction
 * or an exponent Float, and objects hashes in the order of the text; the last of equal keys wins.
 * Throws SyntaxError with the text of Ruby's parser.
 */
export function parseJson(text: string): Value {
  return parseRubyJson(text);
}

/**
 * Does the same in steps, for a text of any size. Throws TooManyValues for a text with more than
 * `mostValues`.
 */
export function parseJsonInSteps(text: string, mostValues?: number): WorkSteps<Value> {
  return parseRubyJsonInSteps(text, mostValues);
}

/** Thrown for a number that JSON cannot represent. */
export class NotJson extends PuppetError {}

/**
 * Prints data as Ruby's `JSON.generate` does. Throws TypeError for a value that is not data, and
 * NotJson for a number that JSON cannot represent.
 */
export function printJson(value: Value): string {
  if (isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (!(value instanceof PuppetHash)) return printScalar(value);
  let members = '';
  for (const [key, item] of value.entries()) members += printMember(members, key, printJson(item));
  return `{${members}}`;
}

/** Values of a step; a value takes two to five microseconds. */
const VALUES_IN_STEP = 100;

/**
 * Does the same in steps, for data of any size. `printJson` is faster, because it needs no
 * generators; here only arrays and hashes have one.
 */
export function* printJsonInSteps(value: Value, progress = { printed: 0 }): WorkSteps<string> {
  if (endsStep(progress)) yield;
  if (isArray(value)) {
    const items: string[] = [];
    for (const item of value) {
      if (endsStep(progress)) yield;
      items.push(isNested(item) ? yield* printJsonInSteps(item, progress) : printScalar(item));
    }
    return `[${items.join(',')}]`;
  }
  if (!isNested(value)) return printScalar(value);
  let members = '';
  for (const [key, item] of value.entries()) {
    if (endsStep(progress)) yield;
    const text = isNested(item) ? yield* printJsonInSteps(item, progress) : printScalar(item);
    members += printMember(members, key, text);
  }
  return `{${members}}`;
}

function endsStep(progress: { printed: number }): boolean {
  progress.printed += 1;
  return progress.printed % VALUES_IN_STEP === 0;
}

function isNested(value: Value): value is PuppetHash | readonly Value[] {
  return isArray(value) || value instanceof PuppetHash;
}

function printScalar(value: Exclude<Value, PuppetHash | readonly Value[]>): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'number') throw new TypeError(`${value.constructor.name} is no JSON data`);
  if (!Number.isFinite(value)) throw new NotJson(`${rubyFloat(value)} not allowed in JSON`);
  return rubyFloat(value);
}

function printMember(before: string, key: Value, text: string): string {
  return `${before === '' ? '' : ','}${JSON.stringify(keyText(key))}:${text}`;
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
