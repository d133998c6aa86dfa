import { setImmediate as nextTurn } from 'node:timers/promises';

/** Returns whether `work` settles in time; late work is not cancelled. Rejects when it fails. */
export async function endsWithin(
  work: Promise<unknown>,
  milliseconds: number,
  clock: { sleep(milliseconds: number, signal?: AbortSignal): Promise<void> },
): Promise<boolean> {
  const done = work.then(() => true);
  // Most work is done by now, and needs no timer.
  if (await Promise.race([done, nextTurn(false)])) return true;
  const stopping = new AbortController();
  try {
    const late = clock.sleep(milliseconds, stopping.signal).then(() => false);
    return await Promise.race([done, late]);
  } finally {
    stopping.abort();
  }
}
