/** How often facts that change at each run are stored for the inventory, in seconds. */
export const FACT_SECONDS = { usual: 3600, least: 0, most: 86_400 } as const;

/** The variables of the front doors: the interval, and facts that the inventory does not keep. */
export const FACT_VARIABLES = {
  seconds: 'UNDERSTUDY_INVENTORY_FACT_SECONDS',
  blocked: 'UNDERSTUDY_INVENTORY_BLOCKED_FACTS',
} as const;

/** What is stored of the facts of runs, besides those that a compile needs. */
export interface FactKeeping {
  /** Facts that change at each run are stored once in so many milliseconds. */
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

/** Tells of a name whether that fact is blocked. Throws RangeError for a list with an error. */
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

/** Reads the front doors' variables; null without an inventory. Throws RangeError. */
export function readFactKeeping(variables: Readonly<Record<string, string | undefined>>): FactKeeping | null {
  const text = variables[FACT_VARIABLES.seconds];
  if (text === undefined) return null;
  const seconds = Number(text);
  const { least, most } = FACT_SECONDS;
  if (!Number.isInteger(seconds) || seconds < least || seconds > most) {
    throw new RangeError(`${FACT_VARIABLES.seconds} must be a whole number from ${least} to ${most}, not '${text}'`);
  }
  return { intervalMs: seconds * 1000, blocked: readBlockList(variables[FACT_VARIABLES.blocked] ?? '') };
}
