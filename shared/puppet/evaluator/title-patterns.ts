import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import type { ResourceTypeInfo } from './ports.ts';

type Patterns = NonNullable<ResourceTypeInfo['titlePatterns']>;

/** Compiled patterns, by a type's pattern list. All compiles of the same code share them. */
const compiled = new WeakMap<Patterns, readonly CompiledPattern[]>();

interface CompiledPattern {
  readonly expression: PuppetRegexp;
  readonly attributes: readonly string[];
}

/** Attributes by name, as a title gives them; null of a group that takes no part in the match. */
export type TitleParts = Map<string, string | null>;

/**
 * Parses a title into attributes. Throws when the type has patterns and none matches. Puppet:
 * Resource#parse_title
 */
export function parseTitle(type: ResourceTypeInfo, title: string): TitleParts {
  const { titlePatterns, namevars } = type;
  if (titlePatterns === null) {
    if (namevars.length > 1) throw new PuppetError(ISSUES.TITLE_PATTERNS_MISSING());
    return new Map([[namevars[0] ?? 'name', title]]);
  }
  for (const { expression, attributes } of patternsOf(titlePatterns)) {
    const match = expression.exec(title);
    if (match) return new Map(attributes.map((attribute, index) => [attribute, match[index + 1] ?? null]));
  }
  throw new PuppetError(ISSUES.TITLE_PATTERNS_UNMATCHED({ title }));
}

function patternsOf(patterns: Patterns): readonly CompiledPattern[] {
  const known = compiled.get(patterns);
  if (known) return known;
  const all = patterns.map(({ pattern, groups }) => ({
    expression: new PuppetRegexp(pattern),
    attributes: groups,
  }));
  compiled.set(patterns, all);
  return all;
}
