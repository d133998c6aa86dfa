import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { fileNameMatches } from '../../puppet/ruby-core/file-name-match.ts';
import { PuppetRegexp } from '../../puppet/types/values/regexp.ts';

/** Certnames: one name, a shell pattern, or a regular expression in Ruby's syntax. */
export type NodePattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'glob'; readonly glob: string }
  | { readonly kind: 'regex'; readonly regex: PuppetRegexp };

const LONGEST = 1000;

/**
 * Reads `web01.example.com`, `web*.example.com`, or `/^web\d+\./`. Returns what is wrong as a text.
 */
export function parseNodePattern(text: string): NodePattern | string {
  if (text === '') return 'a pattern for nodes must not be empty';
  if (text.length > LONGEST) return `a pattern for nodes must have at most ${LONGEST} characters`;
  if (text.startsWith('/')) return parseRegex(text);
  if (/[*?[]/.test(text)) return { kind: 'glob', glob: text.toLowerCase() };
  if (/^[a-z0-9._-]+$/i.test(text)) return { kind: 'name', name: text.toLowerCase() };
  return `'${text}' is neither a certname, nor a pattern with * or ?, nor a regular expression between slashes`;
}

function parseRegex(text: string): NodePattern | string {
  if (text.length < 3 || !text.endsWith('/')) return `'${text}' is not a regular expression: it must end with a slash`;
  const regex = new PuppetRegexp(text.slice(1, -1));
  try {
    regex.toNative();
  } catch (error) {
    if (error instanceof PuppetError) return `'${text}' is not a regular expression: ${error.message}`;
    throw error;
  }
  return { kind: 'regex', regex };
}

/** Returns the names that match one of the patterns, in their order. */
export function filterByPatterns(patterns: readonly NodePattern[], names: readonly string[]): readonly string[] {
  const exact = new Set<string>();
  const others: ((certname: string) => boolean)[] = [];
  for (const pattern of patterns) {
    if (pattern.kind === 'name') exact.add(pattern.name);
    else if (pattern.kind === 'glob') others.push((certname) => fileNameMatches(pattern.glob, certname));
    else others.push((certname) => pattern.regex.test(certname));
  }
  return names.filter((name) => exact.has(name) || others.some((matches) => matches(name)));
}
