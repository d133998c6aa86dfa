import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { splitByPattern } from '../../ruby-core/ruby-pattern.ts';
import { RegexpType } from '../../types/scalar-types.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';

const PATTERNS = ['String', 'Regexp', 'Type[Regexp]'];

/**
 * Ruby's `String#split` with a regular expression; a String is compiled to one. A Sensitive text
 * gives a Sensitive result.
 */
export const split = defineFunction('split', {
  dispatches: [
    ...PATTERNS.map((type) => ({
      params: ['String str', `${type} pattern`],
      body: splitText,
    })),
    ...PATTERNS.map((type) => ({
      params: ['Sensitive[String] sensitive', `${type} pattern`],
      body: (site: CallSite, [secret, pattern = null]: readonly Value[]) =>
        new Sensitive(splitText(site, [secret instanceof Sensitive ? secret.unwrap() : null, pattern])),
    })),
  ],
});

function splitText(_: CallSite, [text, pattern = null]: readonly Value[]): Value {
  return splitByPattern(String(text), regexpOf(pattern).toNative());
}

function regexpOf(pattern: Value): PuppetRegexp {
  if (pattern instanceof PuppetRegexp) return pattern;
  return new PuppetRegexp(pattern instanceof RegexpType ? (pattern.pattern ?? '') : String(pattern));
}
