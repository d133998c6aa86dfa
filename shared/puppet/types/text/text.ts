const SURROGATE = /[\ud800-\udfff]/;

/** The number of characters (code points) in a text. */
export function characterCount(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Capitalizes each segment: `file::line` becomes `File::Line`. A name that starts with a capital is
 * returned unchanged.
 */
export function capitalizeSegments(name: string): string {
  if (/^[A-Z]/m.test(name)) return name;
  return name
    .split('::')
    .map((segment) => segment.charAt(0).toUpperCase() + segment.slice(1).toLowerCase())
    .join('::');
}

/** Puts `a` or `an` before a word. */
export function addArticle(word: string): string {
  const first = /^["']?(.)/s.exec(word)?.[1] ?? '';
  return `${/[aeiouy]/i.test(first) ? 'an' : 'a'} ${word}`;
}
