import { PuppetError } from '../errors/puppet-error.ts';
import { defineFunction } from '../evaluator/native-function.ts';
import type { Callable, CallSite } from '../evaluator/ports.ts';
import { newInstance } from '../types/new-instance.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { parseType } from '../types/type-parser.ts';
import type { Value } from '../types/values.ts';
import { splitDottedKey } from '../util/dotted-key.ts';
import { digInto } from './dig.ts';
import { NavigationError } from './navigation-error.ts';

/** Walks into a value by a dotted path: `$facts.get('os.release.major')`. */
export const get = defineFunction('get', {
  dispatches: [
    {
      params: ['Any value', 'String dotted_string', '?Any default_value'],
      block: '?Callable[1,1] block',
      body: (_site: CallSite, [value = null, path, defaultValue = null], block) =>
        getFrom(value, String(path), defaultValue, block),
    },
  ],
});

export function getFrom(value: Value, path: string, defaultValue: Value, block: Callable | null): Value {
  if (value === null) return defaultValue;
  if (path === '') return value;
  const segments = splitDottedKey(`x.${path}`);
  if (segments === null) throw new PuppetError('Syntax error in dotted-navigation string');
  try {
    return digFrom(value, segments.slice(1)) ?? defaultValue;
  } catch (error) {
    if (block && error instanceof NavigationError) return block.call(errorValue(error));
    throw error;
  }
}

// Puppet: `get` calls the function `dig`, which accepts collections only.
function digFrom(value: Value, segments: readonly (string | bigint)[]): Value {
  return digInto(value, segments);
}

function errorValue(error: NavigationError): Value {
  const details = PuppetHash.of(error.details);
  return newInstance(parseType('Error'), [error.basic, error.kind, details, error.issue]);
}
