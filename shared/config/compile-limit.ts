/**
 * The time limit of a compile, and the limits that follow from it: the time of its job, and the
 * visibility time-out of its queue. All values are in seconds.
 */

/** The range that an operator may choose from. Lambda ends a function after 15 minutes. */
export const COMPILE_LIMITS = {
  inLambda: { usual: 75, most: 450 },
  locally: { usual: 300, most: 3600 },
} as const;

/**
 * The share of a job's time that its compile may take. The rest is for the work before and after,
 * so that a failed compile can still be stored.
 */
export const COMPILE_SHARE = 0.5;

/** AWS recommends a visibility time-out of this multiple of the function's time-out. */
const VISIBILITY_FACTOR = 6;

/** Returns the time limit of a job whose compile may take `compileSeconds`. */
export function compileJobSeconds(compileSeconds: number): number {
  return Math.ceil(compileSeconds / COMPILE_SHARE);
}

/** Returns the visibility time-out in SQS when a compile may take `compileSeconds`. */
export function visibilitySeconds(compileSeconds: number): number {
  return VISIBILITY_FACTOR * compileJobSeconds(compileSeconds);
}

/** Reads the limit from a deployment's variable. Throws RangeError for an invalid value. */
export function readCompileSeconds(text: string | undefined, name: string): number {
  const { usual, most } = COMPILE_LIMITS.inLambda;
  const seconds = text === undefined || text === '' ? usual : Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= most) return seconds;
  throw new RangeError(`${name} must be whole seconds from 1 to ${most}, not '${text}'`);
}
