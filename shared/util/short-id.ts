/** Digits of a shortened id. Commands take them, as any prefix of an id that no other one has. */
const SHORT_ID_DIGITS = 12;

const SHORT_ID = new RegExp(`^(?:-*[^-]){${SHORT_ID_DIGITS}}`);

/** The first 12 digits of an id, such as a code id or a digest; hyphens of a UUID do not count. */
export function shortenId(id: string): string {
  return SHORT_ID.exec(id)?.[0] ?? id;
}

/** The ids that `given` means: one that is equal, else all that begin so, in their order. */
export function matchIds(ids: Iterable<string>, given: string): readonly string[] {
  const known = new Set(ids);
  return known.has(given) ? [given] : [...known].filter((id) => id.startsWith(given));
}

const MOST_NAMED = 5;

/** Reports that an id means several, which it names with as many digits as distinguish them. */
export function describeAmbiguousId(given: string, ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_NAMED);
  const [short, more] = [shown.map(shortenId), ids.length - shown.length];
  const names = new Set(short).size === short.length ? short : shown;
  return `'${given}' begins several ids: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
