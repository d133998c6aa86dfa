/** Selection of the facts that are stored for the inventory; compiles need fewer. */
export interface FactKeeping {
  /** Interval of storing facts that change at each run, in milliseconds. */
  readonly intervalMs: number;
  /** Facts that are not stored: names, and regular expressions between slashes. */
  readonly blocked: readonly string[];
}

/** Reads a block list: names, and regular expressions as `/^docker_/`, separated by commas. */
export function readBlockList(text: string): readonly string[] {
  const list = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  matchBlockedFacts(list);
  return list;
}

/** Returns a predicate: whether a fact name is blocked. Throws RangeError for an invalid regexp. */
export function matchBlockedFacts(list: readonly string[]): (name: string) => boolean {
  const names = new Set(list);
  const expressions = list.filter((name) => /^\/.*\/$/.test(name)).map(readExpression);
  return (name) => names.has(name) || expressions.some((expression) => expression.test(name));
}

function readExpression(name: string): RegExp {
  try {
    return new RegExp(name.slice(1, -1));
  } catch (error) {
    throw new RangeError(`${name} is no regular expression: ${error instanceof Error ? error.message : error}`);
  }
}
