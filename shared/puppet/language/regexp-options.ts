/** Options of Ruby's regular expressions as their texts show them. Ruby: re.c */
import { rubyRegexpProblem } from './ruby-regexp.ts';

/** The options that a pattern can hold itself, in the order in which Ruby writes them. */
export const OPTIONS = 'mix';

/** `\\x` and octal escapes of bytes beyond ASCII, properties, and characters named by `\\u`. */
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|u\{([^}]*)\}|([0-7]{3})|([pP])|[\s\S])/g;

/**
 * Whether the text of a pattern ties it to the encoding it is written in, which Ruby keeps as one
 * of its options.
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

/** The pattern in a group that says its options, where it has any: what Puppet writes to data. */
export function withOptions(source: string): string {
  return hasFixedEncoding(source) ? `(?-imx:${source})` : source;
}

/**
 * What remains of a pattern without the option groups that it begins with, or that hold all of it,
 * and their options.
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
