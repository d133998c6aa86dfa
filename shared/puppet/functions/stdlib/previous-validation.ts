import type { CallSite } from '../../evaluator/ports.ts';
import { parseNetwork } from '../../ruby-core/ip-address.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep } from '../support/conversion.ts';

type Check = (value: Value, args: readonly Value[], site: CallSite) => boolean;

/**
 * The 3.x functions that `validate_legacy` replaces. Puppet stdlib:
 * lib/puppet/parser/functions/validate_*.rb
 */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['validate_absolute_path', (value, _, site) => checkEach(value, (path) => isAbsolutePath(path, site))],
  ['validate_array', (value) => Array.isArray(value)],
  ['validate_bool', (value) => typeof value === 'boolean'],
  ['validate_hash', (value) => value instanceof PuppetHash],
  ['validate_integer', (value, limits) => isNumeric(value, limits, INTEGER)],
  ['validate_ip_address', (value) => typeof value === 'string' && parseNetwork(value) !== null],
  ['validate_numeric', (value, limits) => isNumeric(value, limits, FLOAT)],
  ['validate_re', (value, args) => matchesAny(value, args)],
  ['validate_slength', (value, limits) => checkEach(value, (text) => hasLength(text, limits))],
  ['validate_string', (value) => value === null || typeof value === 'string'],
]);

/** The names of these functions. */
export const PREVIOUS_CHECKS: readonly string[] = [...CHECKS.keys()];

const INTEGER = /^\s*[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|\d+(?:_\d+)*)\s*$/;
const FLOAT = /^\s*[-+]?(?:0[xX][\da-fA-F]+|\d+(?:_\d+)*(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*$/;

/** Whether the function of that name accepts the value; null when it does not exist. */
export function wasValid(site: CallSite, name: string, value: Value, args: readonly Value[]): boolean | null {
  return CHECKS.get(name)?.(value, args, site) ?? null;
}

function checkEach(value: Value, check: (item: Value) => boolean): boolean {
  return Array.isArray(value) ? value.every(check) : check(value);
}

function isAbsolutePath(path: Value, site: CallSite): boolean {
  if (typeof path === 'string') {
    return /^\//.test(path) || /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/]+[\\/]+[^\\/]+)/.test(path);
  }
  const message = `Cannot check if ${rubyToS(path)} is an absolute path because it is a '${rubyClassName(path)}' and not a String'`;
  // Logged twice: once for a Windows path, once for a path of other systems.
  for (const _ of ['windows', 'posix']) site.context.log.add({ level: 'warning', message });
  return false;
}

function isNumeric(value: Value, [max = null, min = null]: readonly Value[], form: RegExp): boolean {
  return checkEach(value, (item) => {
    const text = rubyToS(item);
    if (item instanceof PuppetHash || !form.test(text)) return false;
    const number = Number(text.replaceAll('_', ''));
    const above = max !== null && max !== '' && number > Number(rubyToS(max));
    return !above && !(min !== null && number < Number(rubyToS(min)));
  });
}

/** Whether a pattern matches. `args`: the patterns, and a message. */
function matchesAny(value: Value, args: readonly Value[]): boolean {
  const [patterns = null] = args;
  if (typeof value !== 'string' || args.length < 1 || args.length > 2) return false;
  return flattenDeep([patterns]).some((pattern) => new PuppetRegexp(rubyToS(pattern)).test(value));
}

function hasLength(value: Value, limits: readonly Value[]): boolean {
  const [max = null, min = null] = limits;
  if (typeof value !== 'string' || limits.length < 1 || limits.length > 2) return false;
  const { length } = [...value];
  return length <= Number(rubyToS(max)) && length >= Number(min === null ? 0 : rubyToS(min));
}
