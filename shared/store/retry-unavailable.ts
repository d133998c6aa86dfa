import type { Clock } from './ports/clock.ts';
import { StoreUnavailable } from './ports/store-errors.ts';
import { systemClock } from './system-clock.ts';

/** Pauses of 1, 2, 4 … 30 seconds: about three minutes in all. */
const MOST_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Does `work` again while the store is unavailable, with growing pauses, each of which is reported.
 * It must leave nothing behind when it fails. Throws the last error after ten attempts, and any
 * other error at once.
 */
export async function retryUnavailable<T>(
  work: () => Promise<T>,
  report: (line: string) => void,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === MOST_ATTEMPTS) throw error;
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      report(`${error.message}: trying again in ${pauseMs / 1000} s (attempt ${attempt + 1} of ${MOST_ATTEMPTS})`);
      await clock.sleep(pauseMs);
    }
  }
}
