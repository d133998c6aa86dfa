/**
 * The deprecated check functions of stdlib 8. Only values that certainly pass are handled here;
 * errors and all other values are left to the module's Ruby. Follows its
 * lib/puppet/functions/{validate,is}_*.rb and the 3.x functions that they replace.
 */
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';

/** Whether the arguments certainly pass. */
type Check = (args: readonly Value[]) => boolean;

const VALIDATIONS: readonly (readonly [name: string, type: string, passes: Check])[] = [
  ['validate_absolute_path', 'Stdlib::Compat::Absolute_Path', (args) => args.every(isPosixPath)],
  ['validate_array', 'Stdlib::Compat::Array', (args) => args.every((value) => Array.isArray(value))],
  ['validate_bool', 'Stdlib::Compat::Bool', (args) => args.every((value) => typeof value === 'boolean')],
  ['validate_hash', 'Stdlib::Compat::Hash', (args) => args.every((value) => value instanceof PuppetHash)],
  ['validate_integer', 'Stdlib::Compat::Integer', isWithin],
  ['validate_re', 'Pattern[]', matchesOne],
  ['validate_string', 'Stdlib::Compat::String', (args) => args.every(isTextOrNothing)],
];

const QUESTIONS: readonly (readonly [name: string, type: string, answer: (value: Value) => boolean | null])[] = [
  ['is_array', 'Stdlib::Compat::Array', (value) => Array.isArray(value)],
  ['is_bool', 'Stdlib::Compat::Bool', (value) => typeof value === 'boolean'],
  ['is_string', 'Stdlib::Compat::String', isText],
];

/** Creates the functions, new at each call. */
export function defineDeprecatedChecks(): readonly PuppetFunction[] {
  return [...VALIDATIONS.map(defineValidation), ...QUESTIONS.map(defineQuestion)];
}

function defineValidation([name, type, passes]: (typeof VALIDATIONS)[number]): PuppetFunction {
  const warning = `This method is deprecated, please use the stdlib validate_legacy function,
                    with ${type}. There is further documentation for validate_legacy function in the README.`;
  return defineFunction(name, {
    dispatches: [
      {
        params: ['*Any args'],
        body: (site, args) =>
          args.length > 0 && passes(args) ? warnDeprecated(site, name, warning) : leaveToRuby(name),
      },
    ],
  });
}

function defineQuestion([name, type, answer]: (typeof QUESTIONS)[number]): PuppetFunction {
  const warning = `This method is deprecated, please use match expressions with ${type} instead. They are described at https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions.`;
  return defineFunction(name, {
    dispatches: [
      {
        params: ['*Any args'],
        body: (site, args) => {
          const [value = null] = args;
          const answered = args.length === 1 ? answer(value) : null;
          if (answered === null) return leaveToRuby(name);
          warnDeprecated(site, name, warning);
          return answered;
        },
      },
    ],
  });
}

function isPosixPath(value: Value): boolean {
  return Array.isArray(value)
    ? value.every((path) => typeof path === 'string' && path.startsWith('/'))
    : typeof value === 'string' && value.startsWith('/');
}

function isTextOrNothing(value: Value): boolean {
  return value === null || typeof value === 'string';
}

/** Ruby: a text that equals the printed form of a number does not count as a text. */
function isText(value: Value): boolean | null {
  if (typeof value !== 'string') return value === null;
  return /^[-+.\d]/.test(value) ? null : true;
}

/** Checks `value, max, min`: decimal numbers in their shortest form. */
function isWithin(args: readonly Value[]): boolean {
  if (args.length > 3) return false;
  const [value, max, min] = args.map(wholeNumber);
  if (value === null || value === undefined || max === null || min === null) return false;
  return (max === undefined || value <= max) && (min === undefined || (value >= min && (max ?? min) >= min));
}

function wholeNumber(value: Value): bigint | null {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value) ? BigInt(value) : null;
}

function matchesOne(args: readonly Value[]): boolean {
  const [value, pattern = null, message = ''] = args;
  if (typeof value !== 'string' || typeof message !== 'string' || args.length < 2 || args.length > 3) return false;
  const patterns: readonly Value[] = Array.isArray(pattern) ? pattern : [pattern];
  if (!patterns.every((one) => typeof one === 'string')) return false;
  try {
    return patterns.some((one) => new PuppetRegexp(String(one)).test(value));
  } catch (error) {
    // Ruby reports the invalid pattern, after the deprecation.
    if (error instanceof PuppetError) return false;
    throw error;
  }
}
