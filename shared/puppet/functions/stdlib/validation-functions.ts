/** puppetlabs-stdlib's functions that check values. Follows its lib/puppet/functions. */

import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { inferSet } from '../../types/inference.ts';
import { describeMismatch } from '../../types/mismatch-describer.ts';
import { PType } from '../../types/ptype.ts';
import { typeFromText } from '../support/type-text.ts';
import { formatValues } from '../text/sprintf.ts';
import { leaveToRuby } from './left-to-ruby.ts';
import { refuse } from './legacy-value-function.ts';
import { wasValid } from './previous-validation.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';
import { DOMAIN_TYPES } from './stdlib-types.ts';

function defineValidator(name: string, type: string): PuppetFunction {
  return defineFunction(name, {
    localTypes: DOMAIN_TYPES,
    dispatches: [
      {
        params: [`*${type} values`],
        body: (_, values) =>
          values.length === 0 ? refuse(`${name}(): Wrong number of arguments need at least one`) : null,
      },
    ],
  });
}

export const validateDomainName = defineValidator(
  'stdlib::validate_domain_name',
  'Variant[Stdlib::Fqdn, Stdlib::Dns::Zone]',
);
export const validateEmailAddress = defineValidator('stdlib::validate_email_address', 'Stdlib::Email');

export const isA = defineFunction('is_a', {
  dispatches: [
    {
      params: ['Any value', 'Type type'],
      body: (_, [value = null, type]) => type instanceof PType && type.isInstance(value),
    },
  ],
});

/**
 * `validate_legacy(type, function, value)`: the value must match the type. A value that only the
 * earlier function accepts causes a deprecation.
 */
export const validateLegacy = defineFunction('validate_legacy', {
  dispatches: ['Type target_type', 'String type_string'].map((parameter) => ({
    params: [parameter, 'String function_name', 'Any value', '*Any args'],
    body: (site, [wanted, name, value = null, ...args]) => {
      const type = wanted instanceof PType ? wanted : typeFromText(site, String(wanted));
      const accepted = wasValid(site, String(name), value, args);
      if (type.isInstance(value)) {
        if (accepted !== false) return null;
        const message = `Accepting previously invalid value for target type '${type}'`;
        site.context.log.add({ level: 'notice', message });
        return null;
      }
      const mismatch = describeMismatch(`validate_legacy(${name})`, type, inferSet(value));
      return accepted === true ? warnDeprecated(site, 'validate_legacy', mismatch) : refuse(mismatch);
    },
  })),
});

/** `sprintf` with named values, deprecated. */
export const sprintfHash = defineFunction('sprintf_hash', {
  dispatches: [
    {
      params: ['String format', 'Hash arguments'],
      body: (site, [format, values = null]) => {
        const message = 'This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead';
        warnDeprecated(site, 'sprintf_hash', message);
        // Ruby prints the hash itself with symbols as keys.
        if (/%[^%<{a-zA-Z]*[a-zA-Z]/.test(String(format))) return leaveToRuby('sprintf_hash');
        return formatValues(String(format), [values]);
      },
    },
  ],
});

export function defineTypeOf(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [{ params: ['Any value'], body: (_, [value = null]) => inferSet(value) }],
  });
}
