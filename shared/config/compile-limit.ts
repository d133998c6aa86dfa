/**
 * How long a compile may take, and what follows from it: the time of its job, and how long a queue
 * keeps a received job from others. All in seconds.
 */

/** What an operator may choose. Lambda ends a function after 15 minutes. */
export const COMPILE_LIMITS = {
  inLambda: { usual: 75, most: 450 },
  locally: { usual: 300, most: 3600 },
} as const;

/**
 * Of the time of a job, what its compile may take: the rest is for what comes before and after, so
 * that its failure is kept.
 */
export const COMPILE_SHARE = 0.5;

/** As AWS asks for: so many times the function's time-out a received job stays invisible. */
const VISIBILITY_FACTOR = 6;

/** How long a job may take whose compile may take `compileSeconds`. */
export function compileJobSeconds(compileSeconds: number): number {
  return Math.ceil(compileSeconds / COMPILE_SHARE);
}

/** How long a received job stays invisible in SQS, when its compile may take `compileSeconds`. */
export function visibilitySeconds(compileSeconds: number): number {
  return VISIBILITY_FACTOR * compileJobSeconds(compileSeconds);
}

/** The limit that a deployment's variable gives. Throws RangeError for what is none. */
export function readCompileSeconds(text: string | undefined, name: string): number {
  const { usual, most } = COMPILE_LIMITS.inLambda;
  const seconds = text === undefined || text === '' ? usual : Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= most) return seconds;
  throw new RangeError(`${name} must be whole seconds from 1 to ${most}, not '${text}'`);
}
