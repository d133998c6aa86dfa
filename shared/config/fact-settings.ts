/** Selection of the facts to store, besides those that a compile needs. */
export interface FactKeeping {
  /** Interval of storing facts that change at each run, in milliseconds. */
  readonly intervalMs: number;
  /** Facts that are not kept: names, and regular expressions between slashes. */
  readonly blocked: readonly string[];
}

/** Reads a block list: names, and regular expressions as `/^docker_/`, separated by commas. */
export function readBlockList(text: string): readonly string[] {
  const list = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  matchBlockedFacts(list);
  return list;
}

/** Returns whether a fact of a name is blocked. Throws RangeError for a list with an error. */
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
