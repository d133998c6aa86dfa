/**
 * The source of a JavaScript pattern that matches `text` alone, with flag `u` or without: only what
 * has a meaning there is escaped, as flag `u` refuses all other escapes. Not for the inside of a
 * character class.
 */
export function quotePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
