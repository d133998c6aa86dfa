import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { toF, toI } from '../../ruby-core/ruby-integer.ts';
import type { Value } from '../../types/values/values.ts';
import { warnOnce } from '../support/deprecation.ts';

export const abs = defineFunction('abs', {
  dispatches: [
    { params: ['Numeric val'], body: (_, [value = null]) => computeMagnitude(value) },
    { params: ['String val'], body: (site, [value]) => ofText(site, String(value)) },
  ],
});

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
