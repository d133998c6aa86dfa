import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { TypeAliasType } from '../../types/reference-types.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { RegexpType } from '../../types/scalar-types.ts';
import { PatternType } from '../../types/string-types.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';
import { VariantType } from '../../types/wrapper-types.ts';
import { flattenDeep } from '../support/conversion.ts';

/** Returns the match and its groups, or undef; an array of texts gives one result for each. */
export const match = defineFunction('match', {
  dispatches: [
    {
      params: ['String string', 'Variant[Any, Type] pattern'],
      body: (_, [text, pattern = null]) => matchText(String(text), pattern),
    },
    {
      params: ['Array[String] string', 'Variant[Any, Type] pattern'],
      body: (_, [texts, pattern = null]) =>
        Array.isArray(texts) ? texts.map((text) => matchText(String(text), pattern)) : null,
    },
  ],
});

function matchText(text: string, pattern: Value): Value {
  if (typeof pattern === 'string') return groupsOf(new PuppetRegexp(pattern), text);
  if (pattern instanceof PuppetRegexp) return groupsOf(pattern, text);
  if (Array.isArray(pattern)) return firstMatch(text, flattenDeep(pattern));
  if (pattern instanceof TypeAliasType) return matchText(text, pattern.resolvedType);
  if (pattern instanceof VariantType) return firstMatch(text, pattern.types);
  if (pattern instanceof PatternType) return firstMatch(text, pattern.patterns);
  if (pattern instanceof RegexpType) {
    if (pattern.pattern === null) throw new PuppetError(ISSUES.MATCH_REGEXP_TYPE_EMPTY());
    return groupsOf(new PuppetRegexp(pattern.pattern), text);
  }
  throw new PuppetError(ISSUES.MATCH_PATTERN_TYPE({ actual: rubyClassName(pattern) }));
}

function groupsOf(pattern: PuppetRegexp, text: string): Value {
  const found = pattern.exec(text);
  return found ? Array.from(found, (group) => group ?? null) : null;
}

function firstMatch(text: string, patterns: readonly Value[]): Value {
  for (const pattern of patterns) {
    const found = matchText(text, pattern);
    if (found !== null) return found;
  }
  return null;
}
