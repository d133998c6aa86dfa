import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite } from '../../evaluator/ports.ts';
import { splitDottedKey } from '../../ruby-core/dotted-key.ts';
import { ObjectType } from '../../types/objects/object-type.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { parseType } from '../../types/type-parser.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { NavigationError } from '../support/navigation-error.ts';
import { dig } from './dig.ts';

/** Walks into a value along a dotted path: `$facts.get('os.release.major')`. */
export const get = defineFunction('get', {
  dispatches: [
    {
      params: ['Any value', 'String dotted_string', '?Any default_value'],
      block: '?Callable[1,1] block',
      body: (site, [value = null, path, defaultValue = null], block) =>
        getFrom(site, value, String(path), defaultValue, block),
    },
  ],
});

export function getFrom(
  site: CallSite,
  value: Value,
  path: string,
  defaultValue: Value,
  block: Callable | null,
): Value {
  if (value === null) return defaultValue;
  if (path === '') return value;
  const segments = splitDottedKey(`x.${path}`);
  if (segments === null) throw new PuppetError(ISSUES.NAVIGATION_SYNTAX_ERROR());
  try {
    return dig.call(site, [value, ...segments.slice(1)], null) ?? defaultValue;
  } catch (error) {
    if (block && error instanceof NavigationError) return block.call(errorValue(error));
    throw error;
  }
}

// Puppet: the details contain types, which a caller of Error.new cannot pass.
function errorValue(error: NavigationError): Value {
  const type = parseType('Error');
  if (!(type instanceof ObjectType)) return null;
  const attributes = new Map<string, Value>([
    ['msg', error.basic],
    ['kind', error.kind],
    ['details', PuppetHash.of(error.details)],
    ['issue_code', error.issue],
  ]);
  return new PuppetObject(type, attributes);
}
