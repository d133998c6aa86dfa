/** Start of containers while the store is unavailable. */
import type { Clock } from '../shared/store/ports/clock.ts';
import { retryUnavailable } from '../shared/store/retry-unavailable.ts';

/** Does `work` again for about three minutes while the store is unavailable, and logs it. */
export function startWhenAvailable<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  const report = (message: string) => void process.stderr.write(`${JSON.stringify({ level: 'WARN', message })}\n`);
  return retryUnavailable(work, report, clock);
}
