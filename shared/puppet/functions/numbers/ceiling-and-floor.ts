import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { floatToInteger } from '../../evaluator/numeric.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { parseRubyFloat } from '../../ruby-core/ruby-integer.ts';
import type { Value } from '../../types/values/values.ts';
import { warnOnce } from '../support/deprecation.ts';

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
  return defineFunction(name, {
    dispatches: [
      { params: ['Numeric val'], body: (_, [value = null]) => ofNumber(value) },
      { params: ['String val'], body: (site, [value]) => ofText(site, String(value)) },
    ],
  });
}

export const ceiling = defineRoundingFunction('ceiling', Math.ceil);
export const floor = defineRoundingFunction('floor', Math.floor);
