/** New values of parameters; null or an empty text removes one. */
export type ParameterChanges = Readonly<Record<string, string | null>>;

/** The parameters that say which page of a list is shown. */
const PLACE = ['page', 'cursor', 'before'] as const;

/** The first page of a list. */
export const FIRST_PAGE: Readonly<Record<(typeof PLACE)[number], null>> = { page: null, cursor: null, before: null };

/** A path with the changed parameters. Without a page among the changes, a list begins anew. */
export function withParameters(path: string, query: URLSearchParams, changes: ParameterChanges): string {
  const next = new URLSearchParams(query);
  if (!PLACE.some((name) => name in changes)) for (const name of PLACE) next.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === '' ? path : `${path}?${text}`;
}
