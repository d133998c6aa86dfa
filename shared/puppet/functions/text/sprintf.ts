import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { rubySprintf, SprintfError, type SprintfValues } from '../../ruby-core/ruby-sprintf.ts';
import { inspectRuby, rubyToS } from '../../types/format/ruby-text.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { implicitString } from '../support/conversion.ts';
import { rubyKindName } from '../support/ruby-text.ts';

/** Ruby's `sprintf`; a single hash argument supplies the values of named formats. */
export const sprintf = defineLegacyFunction('sprintf', {
  arity: -2,
  rvalue: true,
  body: (_, [format = null, ...args]) => formatValues(implicitString(format), args),
});

const VALUES: SprintfValues<Value> = {
  toS: rubyToS,
  inspect: inspectRuby,
  className: (value) => rubyKindName(value, rubyClassName),
  getEntry: (hash, key) => (hash instanceof PuppetHash ? hash.get(key) : null),
};

/** Ruby's `Kernel#sprintf`; throws its errors as PuppetError. */
function formatValues(format: string, args: readonly Value[]): string {
  try {
    return rubySprintf(format, args, VALUES);
  } catch (error) {
    if (error instanceof SprintfError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}
