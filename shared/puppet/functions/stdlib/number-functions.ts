/**
 * puppetlabs-stdlib's functions for numbers and ranges. Follows its lib/puppet/parser/functions.
 */

import { toF, toI } from '../../ruby-core/ruby-integer.ts';
import { rubySuccessors } from '../../ruby-core/ruby-successor.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep } from '../support/conversion.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

/** Ruby's `to_i` of a 3.x argument. */
export function integerOf(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  return toI(rubyToS(value));
}

export const clamp = defineValueFunction(
  'clamp',
  (args) => {
    const values = flattenDeep(args);
    if (values.length !== 3) return refuse('clamp(): Wrong number of arguments, need three to clamp');
    for (const value of values) {
      if (typeof value === 'string' && !/(?<![^\n])\d+(?![^\n])/.test(value)) {
        return refuse(`clamp(): Required explicit numeric (${value}:String)`);
      }
      if (value instanceof PuppetHash) return refuse(`clamp(): The Hash type is not allowed (${rubyToS(value)})`);
    }
    const [, middle = 0n] = values.map(integerOf).sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
    return middle;
  },
  -2,
);

export const convertBase = defineValueFunction(
  'convert_base',
  ([number = null, base = null]) => {
    const whole = (value: Value) => typeof value === 'bigint' || typeof value === 'string';
    if (!whole(number)) return refuse('convert_base(): First argument must be either a string or an integer');
    if (!whole(base)) return refuse('convert_base(): Second argument must be either a string or an integer');
    for (const value of [number, base]) {
      if (typeof value === 'string' && !/(?<![^\n])[0-9]+(?![^\n])/.test(value)) {
        return refuse(
          'convert_base(): First argument must be an integer or a string corresponding to an integer in base 10',
        );
      }
    }
    const radix = Number(integerOf(base));
    if (radix < 2 || radix > 36) {
      return refuse('convert_base(): base must be at least 2 and must not be greater than 36');
    }
    return integerOf(number).toString(radix);
  },
  2,
);

export const toBytes = defineValueFunction('to_bytes', (args) => {
  checkCount('to_bytes', args, 1, 1);
  const [value = null] = args;
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  const [, digits = '', prefix = ''] = /([0-9.e+-]*)\s*([^bB]?)/u.exec(rubyToS(value)) ?? [];
  const power = ['', 'k', 'M', 'G', 'T', 'P', 'E'].indexOf(prefix);
  if (power < 0) return refuse(`to_bytes(): Unknown prefix ${prefix}`);
  return BigInt(Math.trunc(toF(digits) * 1024 ** power));
});

/** Larger ranges are left to the module's Ruby, which has limits of time and memory. */
const LIMIT = 100_000;

export const range = defineValueFunction('range', (args) => {
  checkCount('range', args, 1, Number.POSITIVE_INFINITY, 'range(): Wrong number of arguments given (0 for 1)');
  const { start, stop, step, exclusive } = boundsOf(args);
  if (/(?<![^\n])\d+(?![^\n])/.test(start)) return listIntegers(toI(start), toI(stop), step, exclusive);
  const all = rubySuccessors(start, stop, LIMIT + 1);
  if (all.length > LIMIT) return leaveToRuby('range');
  const texts = exclusive && all.at(-1) === stop ? all.slice(0, -1) : all;
  return texts.filter((_, index) => BigInt(index) % step === 0n);
});

function boundsOf(args: readonly Value[]): { start: string; stop: string; step: bigint; exclusive: boolean } {
  const [first = null, second = null, third = null] = args;
  if (args.length > 1) {
    const given = third === null ? 1n : integerOf(third);
    if (given === 0n) return refuse('range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)');
    return { start: rubyToS(first), stop: rubyToS(second), step: given < 0n ? -given : given, exclusive: false };
  }
  const text = rubyToS(first);
  const match = /(?<![^\n])(\w+)(\.\.\.?|-)(\w+)(?![^\n])/.exec(text);
  if (match) return { start: match[1] ?? '', stop: match[3] ?? '', step: 1n, exclusive: match[2] === '...' };
  if (/(?<![^\n]).+(?![^\n])/.test(text)) return refuse(`range(): Unable to compute range from the value: ${text}`);
  return refuse(`range(): Unknown range format: ${text}`);
}

function listIntegers(start: bigint, stop: bigint, step: bigint, exclusive: boolean): Value[] {
  const end = exclusive ? stop - 1n : stop;
  if ((end - start) / step > LIMIT) return leaveToRuby('range');
  const values: Value[] = [];
  for (let value = start; value <= end; value += step) values.push(value);
  return values;
}
