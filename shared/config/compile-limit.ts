/**
 * The time limit of a compile, and the limits that follow from it: the time of its job, and the
 * visibility time-out of its queue. All values are in seconds.
 */

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
