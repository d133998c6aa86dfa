/** All values that are neither object nor list, as text, with their paths. */
export function flattenValues(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) {
    return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  }
  return Object.entries(value).flatMap(([key, one]) => flattenValues(one, path === '' ? key : `${path}.${key}`));
}
