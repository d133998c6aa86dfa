import { PuppetError } from '../errors/puppet-error.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { rubyClassName } from '../types/ruby-class.ts';
import type { Value } from '../types/values.ts';
import { rubySprintf, SprintfError, type SprintfValues } from '../util/ruby-sprintf.ts';
import { implicitString } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { rubyInspect, rubyKindName, rubyToS } from './ruby-text.ts';

/** Ruby's `sprintf`; a hash as the only argument is what named formats take their values from. */
export const sprintf = defineLegacyFunction('sprintf', {
  arity: -2,
  rvalue: true,
  body: (_, [format = null, ...args]) => formatValues(implicitString(format), args),
});

const VALUES: SprintfValues<Value> = {
  toS: rubyToS,
  inspect: rubyInspect,
  className: (value) => rubyKindName(value, rubyClassName),
  entry: (hash, key) => (hash instanceof PuppetHash ? hash.get(key) : null),
};

/** Ruby's `Kernel#sprintf`; throws its errors as PuppetError. */
export function formatValues(format: string, args: readonly Value[]): string {
  try {
    return rubySprintf(format, args, VALUES);
  } catch (error) {
    if (error instanceof SprintfError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}
