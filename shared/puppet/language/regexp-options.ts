/** Options of Ruby's regular expressions, derived from their texts. Ruby: re.c */
import { rubyRegexpProblem } from './ruby-regexp.ts';

/** The options that a pattern's text can set, in the order in which Ruby prints them. */
export const OPTIONS = 'mix';

/**
 * Escapes that can fix the encoding: `\\x` and octal bytes, properties, and characters named by
 * `\\u`.
 */
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|u\{([^}]*)\}|([0-7]{3})|([pP])|[\s\S])/g;

/**
 * Whether the text of a pattern fixes its encoding. Ruby keeps that as an option of the pattern.
 */
export function hasFixedEncoding(source: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bounds of ASCII
  if (/[^\x00-\x7f]/.test(source)) return true;
  if (!source.includes('\\')) return false;
  return Array.from(source.matchAll(ESCAPE)).some(
    ([, byte, character, characters = '', octal, property]) =>
      property !== undefined ||
      [byte, character, ...characters.trim().split(/\s+/)].some((digits = '') => Number.parseInt(digits, 16) >= 0x80) ||
      Number.parseInt(octal ?? '0', 8) >= 0x80,
  );
}

/** Wraps a pattern with options in a group that states them, as Puppet writes it to data. */
export function withOptions(source: string): string {
  return hasFixedEncoding(source) ? `(?-imx:${source})` : source;
}

/**
 * Strips option groups at the start of a pattern, or around the whole pattern, and returns their
 * options.
 */
export function withoutOptionGroups(source: string): { readonly text: string; readonly options: ReadonlySet<string> } {
  const options = new Set<string>();
  let text = source;
  for (;;) {
    const [start, on = '', off = ''] = /^\(\?([mix]*)(?:-([mix]*))?(?=[):])/.exec(text) ?? [];
    if (start === undefined) return { text, options };
    for (const option of on) options.add(option);
    for (const option of off) options.delete(option);
    const rest = text.slice(start.length);
    if (rest.startsWith(':')) {
      const inner = rest.slice(1, -1);
      const isWhole = rest.endsWith(')') && rubyRegexpProblem(inner) === null;
      return isWhole ? { text: inner, options } : { text: source, options: new Set() };
    }
    text = rest.slice(1);
  }
}
