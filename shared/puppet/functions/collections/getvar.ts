import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';
import { getFrom } from './get.ts';

/**
 * Returns a variable's value by name, or the value at the dotted path behind it; the default when
 * there is none.
 */
export const getvar = defineFunction('getvar', {
  dispatches: [
    {
      params: ['Pattern[/\\A(?:::)?(?:[a-z]\\w*::)*[a-z_]\\w*(?:\\.|\\Z)/] get_string', '?Any default_value'],
      block: '?Callable[1,1] block',
      body: (site, [path, defaultValue = null], block) => navigate(site, String(path), defaultValue, block),
    },
  ],
  mismatches: [
    {
      params: ['String get_string', '?Any default_value'],
      block: '?Callable block',
      message: () => 'The given string does not start with a valid variable name',
    },
  ],
});

function navigate(site: CallSite, text: string, defaultValue: Value, block: Callable | null): Value {
  const [, name = '', rest = ''] = /^((?:::)?(?:\w+::)*\w+)(.*)$/s.exec(text) ?? [];
  if (rest !== '' && !rest.startsWith('.')) {
    throw new PuppetError(ISSUES.NAVIGATION_WITHOUT_DOT({ actual: String(rest[0]) }));
  }
  const value = site.scope.lookupVariable(name);
  if (value === undefined) return defaultValue;
  return getFrom(site, value, rest.slice(1), defaultValue, block);
}
