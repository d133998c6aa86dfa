import { expect, it } from 'vitest';
import { StoreRefused, StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { retryUnavailable } from '../../../shared/store/retry-unavailable.ts';

/** Runs work that fails `failures` times. */
async function run(failures: number, error: Error = new StoreUnavailable("data directory 'd' is busy: locked")) {
  const pauses: number[] = [];
  const lines: string[] = [];
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts <= failures) throw error;
    return 'done';
  };
  const clock = {
    sleep: async (pauseMs: number) => {
      const before = attempts;
      await new Promise((resolve) => setImmediate(resolve));
      // Nothing is tried during the pause.
      if (attempts === before) pauses.push(pauseMs);
    },
  };
  const result = retryUnavailable(work, (line) => lines.push(line), clock);
  const [settled] = await Promise.allSettled([result]);
  return { settled, attempts, pauses, lines };
}

it('does the work again while the store is unavailable, and says so', async () => {
  const { settled, pauses, lines } = await run(2);
  expect(settled).toEqual({ status: 'fulfilled', value: 'done' });
  expect(pauses).toEqual([1000, 2000]);
  expect(lines).toEqual([
    "data directory 'd' is busy: locked: trying again in 1 s (attempt 2 of 10)",
    "data directory 'd' is busy: locked: trying again in 2 s (attempt 3 of 10)",
  ]);
});

it('gives up after ten attempts with the error', async () => {
  const { settled, attempts, pauses } = await run(10);
  expect(settled).toMatchObject({ status: 'rejected', reason: { message: "data directory 'd' is busy: locked" } });
  expect(attempts).toBe(10);
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
});

it('does not try again what an operator has to mend', async () => {
  const { settled, attempts } = await run(1, new StoreRefused('no permission'));
  expect([settled.status, attempts]).toEqual(['rejected', 1]);
});
