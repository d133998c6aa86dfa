import { EDGE } from '../config/front-doors.ts';
import type { Clock } from '../store/ports/clock.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';

const PAUSE_MS = 2000;

/**
 * Calls `open` again while it is refused, for a bounded time: the authority service of a new stack
 * may still be creating the CA.
 */
export async function waitForCertificate<T>(clock: Clock, open: () => Promise<T>): Promise<T> {
  const deadline = clock.now() + EDGE.certificateSeconds * 1000;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreRefused) || clock.now() > deadline) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}
