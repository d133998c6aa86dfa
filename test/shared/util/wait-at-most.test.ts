import { expect, it } from 'vitest';
import { endsWithin } from '../../../shared/util/wait-at-most.ts';

/** A clock on which the time never comes, or is over at once. */
const clockOf = (isOver: boolean) => ({
  slept: [] as number[],
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(milliseconds);
    if (isOver) return Promise.resolve();
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
  },
});

it('knows work that is done without a timer', async () => {
  const clock = clockOf(true);
  expect([await endsWithin(Promise.resolve(1), 5, clock), clock.slept]).toEqual([true, []]);
});

it('waits for work, and no longer than it may', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = endsWithin(promise, 5, clockOf(false));
  setImmediate(() => setImmediate(resolve));
  expect(await waiting).toBe(true);
  const clock = clockOf(true);
  expect([await endsWithin(new Promise(() => {}), 5, clock), clock.slept]).toEqual([false, [5]]);
});

it('fails with the work', async () => {
  await expect(endsWithin(Promise.reject(new Error('oh')), 5, clockOf(true))).rejects.toThrow('oh');
});
