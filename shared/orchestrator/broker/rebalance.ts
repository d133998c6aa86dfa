/** A broker may hold this many times the mean of all. */
const MOST_OF_MEAN = 1.15;
/** Fewer connections beyond that are left where they are. */
const LEAST_EXCESS = 50;
/** Connections closed in a second: this share, and no more than the number. */
const SHARE_PER_SECOND = 0.001;
const MOST_PER_SECOND = 50;

/**
 * Returns the number of connections to close in a second, so that their clients come back to any
 * broker of the site, also to one that came late or has come back. `held` has the connections of
 * all brokers that take clients, with its own.
 */
export function countToMove(own: number, held: readonly number[]): number {
  if (held.length < 2) return 0;
  const mean = held.reduce((sum, one) => sum + one, 0) / held.length;
  const excess = Math.floor(own - MOST_OF_MEAN * mean);
  if (excess < LEAST_EXCESS) return 0;
  return Math.min(excess, MOST_PER_SECOND, Math.ceil(own * SHARE_PER_SECOND));
}
