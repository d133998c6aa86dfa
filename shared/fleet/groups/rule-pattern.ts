import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { PuppetRegexp } from '../../puppet/types/values/regexp.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { GroupRefused } from './group-refused.ts';

const compiled = new BoundedCache<PuppetRegexp>(2000);

/**
 * Compiles the pattern of `~`: Java's syntax, searched in the value. Its matches take bounded time.
 * Throws GroupRefused (`schema-violation`) for a malformed pattern.
 */
export function compileRulePattern(source: string): PuppetRegexp {
  const known = compiled.get(source);
  if (known) return known;
  const pattern = new PuppetRegexp(translateJavaPattern(source));
  try {
    pattern.toNative();
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    const message = `the regular expression '${source}' is malformed`;
    throw new GroupRefused('schema-violation', `The rule is invalid: ${message}`, {
      submitted: source,
      error: message,
    });
  }
  compiled.set(source, pattern);
  return pattern;
}

/** Whether the pattern occurs in the text. A search that takes too many steps finds nothing. */
export function matchesRulePattern(source: string, text: string): boolean {
  try {
    return compileRulePattern(source).test(text);
  } catch {
    return false;
  }
}

const HORIZONTAL = ' \\t\\u00a0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000';
const ESCAPES: Readonly<Record<string, string>> = {
  h: `[${HORIZONTAL}]`,
  H: `[^${HORIZONTAL}]`,
  R: '(?:\\r\\n|[\\n-\\r\\u0085\\u2028\\u2029])',
  Z: '(?=(?:\\r\\n|[\\n\\r\\u0085\\u2028\\u2029])?\\z)',
};
/** Java's letters for options, in Ruby's. An option without a letter is Ruby's default. */
const OPTIONS: Readonly<Record<string, string>> = { i: 'i', s: 'm', x: 'x' };

/**
 * Writes a pattern of Java's in Ruby's syntax. Without `(?m)`, `^` and `$` stand for the ends of
 * the text in Java and for those of lines in Ruby; `\Q…\E`, `\h` and the letters of options differ.
 */
function translateJavaPattern(source: string): string {
  let out = '';
  let classDepth = 0;
  const hasLines = /\(\?[a-zA-Z]*m/.test(source);
  const token = /\\Q([\s\S]*?)(?:\\E|$)|\\[\s\S]|\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])|[\s\S]/g;
  for (const [whole, quoted, on, off, end] of source.matchAll(token)) {
    if (quoted !== undefined) out += quoted.replace(/[^\w\s]/g, '\\$&');
    else if (end !== undefined && classDepth === 0) out += translateOptions(on ?? '', off ?? '', end);
    else if (whole.startsWith('\\')) out += classDepth === 0 ? (ESCAPES[whole.slice(1)] ?? whole) : inClass(whole);
    else {
      if (whole === '[') classDepth += 1;
      else if (whole === ']' && classDepth > 0) classDepth -= 1;
      out += classDepth === 0 && !hasLines ? translateAnchor(whole) : whole;
    }
  }
  return out;
}

function inClass(escaped: string): string {
  return escaped === '\\h' ? HORIZONTAL : escaped;
}

function translateAnchor(character: string): string {
  if (character === '^') return '\\A';
  return character === '$' ? (ESCAPES.Z ?? '') : character;
}

function translateOptions(on: string, off: string, end: string): string {
  if (on === '' && off === '') return `(?${end}`;
  const letters = (options: string) => [...options].map((one) => OPTIONS[one] ?? '').join('');
  const [enabled, disabled] = [letters(on), letters(off)];
  if (enabled === '' && disabled === '') return end === ':' ? '(?:' : '';
  return `(?${enabled}${disabled === '' ? '' : `-${disabled}`}${end}`;
}
