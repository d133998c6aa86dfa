/** The parts of a path that a pattern names. */
export type RouteParameters = Readonly<Record<string, string>>;

/**
 * Matches a path with a pattern such as `/nodes/:certname/:tab?`. Null when it does not match, or a
 * part is malformed percent encoding.
 */
export function matchRoute(pattern: string, path: string): RouteParameters | null {
  const [wanted, given] = [splitPath(pattern), splitPath(path)];
  if (given.length > wanted.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (value === undefined) {
      if (!part.endsWith('?')) return null;
    } else if (part.startsWith(':')) {
      const text = decodePart(value);
      if (text === null) return null;
      found[part.slice(1).replace('?', '')] = text;
    } else if (part !== value) return null;
  }
  return found;
}

function splitPath(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Joins parts to a path, each encoded. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
