import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { toF } from '../../ruby-core/ruby-number.ts';
import { compareStrings } from '../../ruby-core/ruby-string.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import type { Value } from '../../types/values/values.ts';
import { warnOnce } from '../support/deprecation.ts';
import { type Comparison, compareNaturally, selectGreatest, toBlockComparison } from '../support/ruby-order.ts';

/**
 * Defines `max` (sign 1) or `min` (sign -1). Numeric Strings compare as numbers, with a deprecation
 * warning.
 */
function defineExtremeFunction(name: string, sign: 1 | -1): PuppetFunction {
  const select = (values: readonly Value[], compare: Comparison): Value =>
    selectGreatest(values, (left, right) => sign * compare(left, right));
  const selectExtreme = (values: readonly Value[], compare: Comparison): Value => {
    if (values.length > 0) return select(values, compare);
    throw new PuppetError(ISSUES.EXTREME_WITHOUT_ARGUMENTS({ name }));
  };
  const withBlock = (values: readonly Value[], block: Callable): Value => select(values, toBlockComparison(block));
  const comparisons: readonly (readonly [string, (site: CallSite) => Comparison])[] = [
    ['Numeric', () => compareNaturally],
    ['String', (site) => (left, right) => compareTexts(site, name, rubyToS(left), rubyToS(right))],
    ['Semver', () => compareNaturally],
    ['Timespan', () => compareNaturally],
    ['Timestamp', () => compareNaturally],
    ['Any', (site) => (left, right) => compareAny(site, name, rubyToS(left), rubyToS(right))],
  ];
  const ofArguments = comparisons.map(([type, comparison]) => ({
    params: [`*${type} values`],
    body: (site: CallSite, args: readonly Value[]) => selectExtreme(args, comparison(site)),
  }));
  // Puppet: min tries arrays of Strings after the other dispatches, max before them.
  const [numbers, texts, ...others] = comparisons;
  const forArrays =
    sign < 0 && numbers && texts ? [numbers, ...others.slice(0, -1), texts, ...others.slice(-1)] : comparisons;
  const ofArrays = forArrays.map(([type, comparison]) => ({
    params: [type === 'Any' ? 'Array values' : `Array[${type}] values`],
    block: '?Callable[2,2] block',
    body: (site: CallSite, [array]: readonly Value[], block: Callable | null) => {
      const values = Array.isArray(array) ? array : [];
      return block ? withBlock(values, block) : selectExtreme(values, comparison(site));
    },
  }));
  const ofAnyWithBlock = {
    params: ['*Any values'],
    block: 'Callable[2,2] block',
    body: (_: CallSite, args: readonly Value[], block: Callable | null) => (block ? withBlock(args, block) : null),
  };
  const ofOneType = ofArguments.slice(0, -1);
  const ofAny = ofArguments.slice(-1);
  return defineFunction(name, [...ofOneType, ...ofArrays, ofAnyWithBlock, ...ofAny]);
}

const NUMBER = /^-?\d+(?:[._eE]\d+)?$/;

function compareTexts(site: CallSite, name: string, left: string, right: string): number {
  if (!looksNumeric(left, right)) return compareStrings(left, right);
  warnNumeric(site, name);
  return compareNaturally(toF(left), toF(right));
}

function compareAny(site: CallSite, name: string, left: string, right: string): number {
  if (looksNumeric(left, right)) {
    warnNumeric(site, name);
    return compareNaturally(toF(left), toF(right));
  }
  warnOnce(
    site,
    `${name}_function_string_coerce_any`,
    `The ${name}() function's auto conversion of Any to String is deprecated - ` +
      'change to convert input before calling, or use lambda',
  );
  return compareStrings(left, right);
}

function looksNumeric(left: string, right: string): boolean {
  return NUMBER.test(left) && NUMBER.test(right);
}

function warnNumeric(site: CallSite, name: string): void {
  warnOnce(
    site,
    `${name}_function_numeric_coerce_string`,
    `The ${name}() function's auto conversion of String to Numeric is deprecated - ` +
      'change to convert input before calling, or use lambda',
  );
}

export const max = defineExtremeFunction('max', 1);
export const min = defineExtremeFunction('min', -1);
