/** `assert_private`, `deprecation`, `type_of` and `validate_legacy` of puppetlabs-stdlib. */
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { PuppetFunction } from '../../evaluator/ports.ts';
import { inferSet } from '../../types/inference.ts';
import { describeMismatch } from '../../types/mismatch-describer.ts';
import { PType } from '../../types/ptype.ts';
import { typeFromText } from '../support/type-text.ts';
import { refuse } from './legacy-value-function.ts';
import { wasValid } from './previous-validation.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';

export const assertPrivate = defineLegacyFunction('assert_private', {
  arity: -1,
  rvalue: false,
  body: (site, args) => {
    if (args.length > 1) {
      return refuse(`assert_private(): Wrong number of arguments given (${args.length}}) for 0 or 1)`);
    }
    const { scope } = site;
    if (scope.lookupVariable('module_name') === scope.lookupVariable('caller_module_name')) return null;
    const [message] = args;
    if (typeof message === 'string') return refuse(message);
    const kind = scope.source?.kind === 'class' ? 'Class' : 'Definition';
    return refuse(`${kind} ${scope.source?.name ?? ''} is private`);
  },
});

/**
 * Defines `deprecation`. `parameters` follow the key and the message: stdlib 9 has one that says
 * whether the setting `strict` applies.
 */
export function defineDeprecation(parameters: readonly string[]): PuppetFunction {
  return defineFunction('deprecation', {
    params: ['String key', 'String message', ...parameters],
    body: (site, [key, message, strict]) => warnDeprecated(site, String(key), String(message), strict === false),
  });
}

/**
 * `validate_legacy(type, function, value)`: the value must match the type. A value that only the
 * earlier function accepts causes a deprecation.
 */
export const validateLegacy = defineFunction(
  'validate_legacy',
  ['Type target_type', 'String type_string'].map((parameter) => ({
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
);

/** The exact type of a value. A type that Ruby gives has lost the value of a String. */
export function defineTypeOf(name: string): PuppetFunction {
  return defineFunction(name, { params: ['Any value'], body: (_, [value = null]) => inferSet(value) });
}
