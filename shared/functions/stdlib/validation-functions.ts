/** Functions of puppetlabs-stdlib that check values. Follows its lib/puppet/functions. */
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { inferSet } from '../../types/inference.ts';
import { PType } from '../../types/ptype.ts';
import { refuse } from './legacy-value-function.ts';
import { DOMAIN_TYPES } from './stdlib-types.ts';

function validator(name: string, type: string): PuppetFunction {
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

export const validateDomainName = validator('stdlib::validate_domain_name', 'Variant[Stdlib::Fqdn, Stdlib::Dns::Zone]');
export const validateEmailAddress = validator('stdlib::validate_email_address', 'Stdlib::Email');

export const isA = defineFunction('is_a', {
  dispatches: [
    {
      params: ['Any value', 'Type type'],
      body: (_, [value = null, type]) => type instanceof PType && type.isInstance(value),
    },
  ],
});

export function defineTypeOf(name: string): PuppetFunction {
  return defineFunction(name, {
    dispatches: [{ params: ['Any value'], body: (_, [value = null]) => inferSet(value) }],
  });
}
