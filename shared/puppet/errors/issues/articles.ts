/**
 * The article for a label, `a` or `an`, by its first letter (behind a quote). Puppet counts y as a
 * vowel.
 */
export function findArticle(label: string): string {
  const letter = /^["']/.test(label) ? label[1] : label[0];
  return letter !== undefined && 'aeiouy'.includes(letter.toLowerCase()) ? 'an' : 'a';
}

/** The label with its article: `a Literal Integer`. */
export function addLabelArticle(label: string): string {
  return `${findArticle(label)} ${label}`;
}

/** The label with a capitalized article: `A Literal Integer`. */
export function withCapitalArticle(label: string): string {
  return findArticle(label) === 'an' ? `An ${label}` : `A ${label}`;
}
