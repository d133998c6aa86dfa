import { expect, it } from 'vitest';
import { Semaphore } from '../../../shared/util/semaphore.ts';

it('lets so many through at a time, the others in their order', async () => {
  const turnstile = new Semaphore(2);
  const entered: number[] = [];
  const leaves: (() => void)[] = [];
  const all = [0, 1, 2, 3].map(async (number) => {
    const leave = await turnstile.acquire();
    entered.push(number);
    leaves[number] = leave;
  });
  await Promise.all(all.slice(0, 2));
  expect(entered).toEqual([0, 1]);
  leaves[1]?.();
  leaves[1]?.();
  await all[2];
  expect(entered).toEqual([0, 1, 2]);
  leaves[0]?.();
  await all[3];
  expect(entered).toEqual([0, 1, 2, 3]);
});
