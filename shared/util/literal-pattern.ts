/**
 * Returns the source of a JavaScript pattern that matches exactly `text`, with or without flag `u`.
 * It escapes only characters with a special meaning, because flag `u` rejects all other escapes.
 * Not for use inside a character class.
 */
export function quotePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
