/** puppetlabs-stdlib's functions for booleans. Follows its lib/puppet/parser/functions. */

import { parseRubyFloat } from '../../ruby-core/ruby-integer.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import type { Value } from '../../types/values/values.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

const FOREVER = Number.POSITIVE_INFINITY;

/**
 * Converts a text such as `yes` or `0` to a boolean; booleans are returned unchanged. `name` is the
 * function named in errors.
 */
export function toBoolean(name: string, value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return refuse(`${name}(): Requires string to work with`);
  if (value === '' || value.startsWith('\n') || value.includes('\n\n')) return false;
  if (/(?<![^\n])(?:1|t|y|true|yes)(?![^\n])/i.test(value)) return true;
  if (/(?<![^\n])(?:0|f|n|false|no)(?![^\n])/i.test(value) || /(?<![^\n])(?:undef|undefined)(?![^\n])/.test(value))
    return false;
  return refuse(`${name}(): Unknown type of boolean given`);
}

function numberToBoolean(value: Value): boolean {
  if (typeof value === 'bigint') return value > 0n;
  if (typeof value === 'number') return Math.trunc(value) > 0;
  if (typeof value !== 'string') return false;
  const number = parseRubyFloat(value);
  if (number === null) {
    return leaveToRuby('num2bool');
  }
  return Math.trunc(number) > 0;
}

export const str2bool = defineValueFunction('str2bool', (args) => {
  checkCount('str2bool', args, 1, FOREVER);
  return toBoolean('str2bool', args[0] ?? null);
});

export const num2bool = defineValueFunction('num2bool', (args) => {
  checkCount('num2bool', args, 1, 1);
  const [value = null] = args;
  return numberToBoolean(value);
});

export const any2bool = defineValueFunction('any2bool', (args) => {
  checkCount('any2bool', args, 1, FOREVER);
  const [value = null] = args;
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (typeof value === 'bigint' || typeof value === 'number') return numberToBoolean(value);
  if (typeof value !== 'string') return true;
  return parseRubyFloat(value) === null ? toBoolean('str2bool', value) : numberToBoolean(value);
});

export const bool2num = defineValueFunction('bool2num', (args) => {
  checkCount('bool2num', args, 1, FOREVER);
  return toBoolean('str2bool', args[0] ?? null) ? 1n : 0n;
});

export const bool2str = defineValueFunction('bool2str', (args) => {
  if (args.length !== 1 && args.length !== 3) {
    return refuse(`bool2str(): Wrong number of arguments given (${args.length} for 3)`);
  }
  const [value = null, whenTrue, whenFalse] = args.map((arg, index) => (arg === false && index > 0 ? undefined : arg));
  if (typeof value !== 'boolean') return refuse('bool2str(): Requires a boolean to work with');
  const [yes, no] = [whenTrue ?? 'true', whenFalse ?? 'false'];
  if (typeof yes !== 'string' || typeof no !== 'string') return refuse('bool2str(): Requires strings to convert to');
  return value ? yes : no;
});

export const pick = defineValueFunction('pick', (args) => {
  const [first = null] = args.filter(isGiven);
  return first === null || rubyToS(first) === '' ? refuse('pick(): must receive at least one non empty value') : first;
});

export const pickDefault = defineValueFunction('pick_default', (args) => {
  if (args.length === 0) return refuse('Must receive at least one argument.');
  return args.slice(0, -1).find(isGiven) ?? args.at(-1) ?? null;
});

function isGiven(value: Value): boolean {
  return value !== null && value !== '';
}
