/**
 * `a` or `an` as the label's first letter (behind a quote) wants it. Puppet takes y for a vowel.
 */
export function findArticle(label: string): string {
  const letter = /^["']/.test(label) ? label[1] : label[0];
  return letter !== undefined && 'aeiouy'.includes(letter.toLowerCase()) ? 'an' : 'a';
}

/** `a Literal Integer` */
export function addLabelArticle(label: string): string {
  return `${findArticle(label)} ${label}`;
}

/** `A Literal Integer` */
export function withCapitalArticle(label: string): string {
  return findArticle(label) === 'an' ? `An ${label}` : `A ${label}`;
}
