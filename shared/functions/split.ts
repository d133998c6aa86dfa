import { defineFunction } from '../evaluator/native-function.ts';
import { PuppetRegexp } from '../types/regexp.ts';
import { RegexpType } from '../types/scalar-types.ts';
import type { Value } from '../types/values.ts';
import { splitByPattern } from '../util/ruby-pattern.ts';

/** Ruby's `String#split` with a regular expression; a text is taken for one. */
export const split = defineFunction('split', {
  dispatches: ['String', 'Regexp', 'Type[Regexp]'].map((type) => ({
    params: ['String str', `${type} pattern`],
    body: (_, [text, pattern = null]) => splitByPattern(String(text), regexpOf(pattern).toNative()),
  })),
});

function regexpOf(pattern: Value): PuppetRegexp {
  if (pattern instanceof PuppetRegexp) return pattern;
  return new PuppetRegexp(pattern instanceof RegexpType ? (pattern.pattern ?? '') : String(pattern));
}
