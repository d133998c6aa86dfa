/**
 * When nodes are told of changed exports: seconds that a change waits for more changes, and seconds
 * between two compiles of a node for changed exports alone (by default, five times as long as its
 * last compile took, and at least the first number). The event source of a DynamoDB stream gathers
 * records for five minutes at most.
 */
export const EXPORT_SECONDS = {
  delay: { usual: 15, least: 0, most: 300 },
  interval: { least: 0, most: 21_600 },
} as const;

/** The variables of the functions with these seconds. */
export const EXPORT_VARIABLES = {
  delay: 'UNDERSTUDY_EXPORT_DELAY_SECONDS',
  interval: 'UNDERSTUDY_EXPORT_INTERVAL_SECONDS',
} as const;

/**
 * Reads both from the texts of the variables; null for an interval that is not set. Throws
 * RangeError that names the variable.
 */
export function readExportSeconds(variables: Readonly<Record<string, string | undefined>>): {
  readonly delay: number;
  readonly interval: number | null;
} {
  return {
    delay: readSeconds(variables, 'delay') ?? EXPORT_SECONDS.delay.usual,
    interval: readSeconds(variables, 'interval'),
  };
}

function readSeconds(
  variables: Readonly<Record<string, string | undefined>>,
  name: keyof typeof EXPORT_VARIABLES,
): number | null {
  const variable = EXPORT_VARIABLES[name];
  const text = variables[variable];
  if (text === undefined || text === '') return null;
  const { least, most } = EXPORT_SECONDS[name];
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds;
  throw new RangeError(`${variable} must be a whole number from ${least} to ${most}, not '${text}'`);
}
