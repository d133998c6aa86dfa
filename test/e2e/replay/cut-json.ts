/**
 * JSON of which only the beginning was kept: what of it is whole, with all that was open closed.
 */
export function wholePart(text: string): string {
  const open: string[] = [];
  // Up to where the text can be cut, and what must then be closed.
  let end = 0;
  let closing = '';
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (isString) {
      if (character === '\\') index += 1;
      isString = character !== '"';
      continue;
    }
    if (character === '"') isString = true;
    // Before a comma everything is whole.
    if (character === ',') [end, closing] = [index, closingOf(open)];
    if (character === '{' || character === '[') open.push(character);
    if (character === '}' || character === ']') {
      open.pop();
      [end, closing] = [index + 1, closingOf(open)];
    }
  }
  return text.slice(0, end) + closing;
}

function closingOf(open: readonly string[]): string {
  return open
    .map((character) => (character === '{' ? '}' : ']'))
    .reverse()
    .join('');
}

/**
 * What of `ours` stands in `part` too: the members of its objects, the items of its lists with the
 * same names, or as many as it has when they have none.
 */
export function common(ours: unknown, part: unknown): unknown {
  if (Array.isArray(part) && Array.isArray(ours)) {
    const named = part.map(nameOf);
    if (named.some((name) => name === null)) return part.map((item, index) => common(ours[index], item));
    return part.map((item, index) =>
      common(
        ours.find((one) => nameOf(one) === named[index]),
        item,
      ),
    );
  }
  if (!isObject(part) || !isObject(ours)) return ours;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, common(ours[key], value)]));
}

function nameOf(item: unknown): string | null {
  if (!isObject(item)) return null;
  const name = item.path ?? item.name;
  return typeof name === 'string' ? name : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
