import { createHash } from 'node:crypto';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { valueLabel } from '../../evaluator/labels.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { floatToInteger } from '../../evaluator/numeric.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { parseRubyFloat, toF, toI } from '../../ruby-core/ruby-number.ts';
import { RubyRandom } from '../../ruby-core/ruby-random.ts';
import { compareIgnoringCase } from '../../ruby-core/ruby-string.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { Timespan } from '../../types/time/timespan.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy, undefinedMethodError } from '../support/conversion.ts';
import { warnOnce } from '../support/deprecation.ts';
import { rubyCompare } from '../support/ruby-order.ts';

function computeMagnitude(value: Value): Value {
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  return typeof value === 'number' ? Math.abs(value) : value;
}

function ofText(site: CallSite, text: string): Value {
  warnOnce(
    site,
    'abs_function_numeric_coerce_string',
    "The abs() function's auto conversion of String to Numeric is deprecated - change to convert input before calling",
  );
  if (/^-?\d+\.\d+$/m.test(text)) return computeMagnitude(toF(text));
  if (/^-?\d+$/m.test(text)) return computeMagnitude(toI(text));
  throw new PuppetError(ISSUES.ABS_OF_TEXT());
}

/** Defines `ceiling` or `floor`. */
function defineRoundingFunction(name: string, round: (value: number) => number): PuppetFunction {
  const ofNumber = (value: Value): Value => (typeof value === 'number' ? floatToInteger(round(value)) : value);
  const ofText = (site: CallSite, text: string): Value => {
    warnOnce(
      site,
      `${name}_function_numeric_coerce_string`,
      `The ${name}() function's auto conversion of String to Float is deprecated - change to convert input before calling`,
    );
    const number = parseRubyFloat(text);
    if (number === null) throw new PuppetError(ISSUES.ROUNDING_OF_TEXT({ name }));
    return ofNumber(number);
  };
  return defineFunction(name, [
    { params: ['Numeric val'], body: (_, [value = null]) => ofNumber(value) },
    { params: ['String val'], body: (site, [value]) => ofText(site, String(value)) },
  ]);
}

function order(result: number | null): Value {
  return result === null ? null : BigInt(result);
}

/** Converts seconds to a Timespan or Timestamp, like the other operand. */
function asTime(value: Value, other: Value): Value {
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  return other instanceof Timestamp ? Timestamp.fromSeconds(value) : Timespan.fromSeconds(value);
}

function describeMisuse([a = null, b = null, ...rest]: readonly Value[]): string {
  const [ignoreCase = null] = rest;
  if (rest.length > 0) {
    if (typeof a !== 'string' || typeof b !== 'string') {
      return 'compare(): The third argument (ignore case) can only be used when comparing strings';
    }
    if (rest.length !== 1) return `compare(): Accepts at most 3 arguments, got ${2 + rest.length}`;
    if (typeof ignoreCase !== 'boolean') {
      return `compare(): The third argument (ignore case) must be a Boolean. Got ${valueLabel(ignoreCase)}`;
    }
  }
  if (rubyClassName(a) === rubyClassName(b)) return '';
  return (
    'compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). ' +
    `Got ${valueLabel(a)} and ${valueLabel(b)}`
  );
}

function getFqdn(facts: Value): string {
  const networking = facts instanceof PuppetHash ? facts.get('networking') : undefined;
  return rubyToS(networking instanceof PuppetHash ? (networking.get('fqdn') ?? null) : null);
}

// Ruby's Array#join flattens nested arrays with the same separator.
function joinDeep(value: Value): string {
  return Array.isArray(value) ? value.map(joinDeep).join(':') : rubyToS(value);
}

function toInteger(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  if (typeof value === 'string') return toI(value);
  if (value === null) return 0n;
  throw undefinedMethodError('to_i', value, inspectRuby(value));
}

/** The functions of numbers and of order. */
export const NUMBER_FUNCTIONS: readonly PuppetFunction[] = [
  defineFunction('abs', [
    { params: ['Numeric val'], body: (_, [value = null]) => computeMagnitude(value) },
    { params: ['String val'], body: (site, [value]) => ofText(site, String(value)) },
  ]),
  defineRoundingFunction('ceiling', Math.ceil),
  defineRoundingFunction('floor', Math.floor),
  /** Rounds half away from zero, through floating point even for integers, as Puppet does. */
  defineFunction('round', {
    params: ['Numeric val'],
    body: (_, [value]) => {
      const number = Number(value);
      return floatToInteger(number > 0 ? number + 0.5 : number - 0.5);
    },
  }),
  /**
   * Returns -1, 0 or 1. Strings compare without (ASCII) case unless the third argument is false.
   */
  defineFunction(
    'compare',
    [
      { params: ['Numeric a', 'Numeric b'], body: (_, [a = null, b = null]) => order(rubyCompare(a, b)) },
      {
        params: ['String a', 'String b', '?Boolean ignore_case'],
        body: (_, [a, b, ignoreCase = true]) =>
          order(ignoreCase ? compareIgnoringCase(String(a), String(b)) : rubyCompare(String(a), String(b))),
      },
      { params: ['Semver a', 'Semver b'], body: (_, [a = null, b = null]) => order(rubyCompare(a, b)) },
      {
        params: ['Numeric a', 'Variant[Timespan, Timestamp] b'],
        body: (_, [a = null, b = null]) => order(rubyCompare(asTime(a, b), b)),
      },
      {
        params: ['Timestamp a', 'Variant[Timestamp, Numeric] b'],
        body: (_, [a = null, b = null]) => order(rubyCompare(a, asTime(b, a))),
      },
      {
        params: ['Timespan a', 'Variant[Timespan, Numeric] b'],
        body: (_, [a = null, b = null]) => order(rubyCompare(a, asTime(b, a))),
      },
    ],
    {
      localTypes: {
        TimeComparable: 'Variant[Numeric, Timespan, Timestamp]',
        Comparable: 'Variant[String, Semver, TimeComparable]',
      },
      mismatches: [
        { params: ['Comparable a', 'Comparable b', '*Any ignore_case'], message: describeMisuse },
        {
          params: ['Any a', 'Any b', '*Any ignore_case'],
          message: ([a = null, b = null]) =>
            'compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp can be ' +
            `compared. Got ${valueLabel(a)} and ${valueLabel(b)}`,
        },
      ],
    },
  ),
  /**
   * Returns a number below a maximum. It is the same in every compile for a node's name and seed.
   */
  defineLegacyFunction('fqdn_rand', {
    arity: -2,
    rvalue: true,
    body: (site, [limit = null, seed = null, downcase = null]) => {
      const maximum = toInteger(limit);
      const name = getFqdn(site.scope.lookupVariable('facts') ?? null);
      const base = [isTruthy(downcase) ? name.toLowerCase() : name, String(maximum), joinDeep(seed)].join(':');
      const random = new RubyRandom(BigInt(`0x${createHash('md5').update(base).digest('hex')}`)).drawInteger(maximum);
      // Ruby: Random.rand
      if (random === null) throw new PuppetError(`invalid argument - ${maximum}`);
      return random;
    },
  }),
];
