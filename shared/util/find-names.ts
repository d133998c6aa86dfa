/**
 * At most `limit` of sorted names: those that begin with the text, by a binary search, then those
 * that contain it, as far as they are among the first `most` names. Names are sorted by code units.
 */
export function findNames(names: readonly string[], text: string, limit: number, most: number): readonly string[] {
  const found: string[] = [];
  for (let at = firstFrom(names, text); at < names.length && found.length < limit; at += 1) {
    const name = names[at];
    if (name === undefined || !name.startsWith(text)) break;
    found.push(name);
  }
  const end = Math.min(names.length, most);
  for (let at = 0; at < end && found.length < limit; at += 1) {
    const name = names[at];
    if (name?.includes(text) && !name.startsWith(text)) found.push(name);
  }
  return found;
}

/** The index of the first name that is not less than the text. */
function firstFrom(names: readonly string[], text: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
