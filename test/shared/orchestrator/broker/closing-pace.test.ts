import { describe, expect, it } from 'vitest';
import { closeAtPace, paceOfDrain } from '../../../../shared/orchestrator/broker/closing-pace.ts';

/** Closes `count` items; answers the time at which each was closed. */
async function close(count: number, mostMs: number, random: () => number): Promise<readonly number[]> {
  let now = 0;
  const clock = {
    random,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const times: number[] = [];
  const items = Array.from({ length: count }, (_, index) => index);
  const note = () => times.push(now) > 0;
  await closeAtPace(items, paceOfDrain(count, mostMs), note, clock);
  return times;
}

describe('a drain', () => {
  it.each([
    ['few connections', 20, 10_000, 150],
    ['as many as fit into the time', 900, 10_000, 9000],
    ['very many', 100_000, 10_000, 10_000],
    ['no time', 500, 0, 0],
  ])('of %s takes as long as it may', async (_, count, mostMs, expected) => {
    let calls = 0;
    const times = await close(count, mostMs, () => (calls++ % 2 === 0 ? 0.1 : 0.9));
    expect(times).toHaveLength(count);
    expect(times.at(-1)).toBeLessThanOrEqual(expected);
    expect(times.at(-1)).toBeGreaterThanOrEqual(0.8 * expected);
  });

  it('closes about equally many in each second, after pauses that differ', async () => {
    let state = 7;
    const random = () => {
      state = (state * 16_807) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const times = await close(10_000, 10_000, random);
    const perSecond = [...Map.groupBy(times, (time) => Math.floor(time / 1000))].map(([, some]) => some.length);
    for (const count of perSecond.slice(0, -1)) expect(count).toBeGreaterThan(800);
    for (const count of perSecond) expect(count).toBeLessThan(1400);
    const pauses = new Set(times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0))));
    expect(pauses.size).toBeGreaterThan(20);
  });

  it('takes no time for connections that are gone, and ends when it is told to', async () => {
    const stopping = new AbortController();
    const slept: number[] = [];
    const sleep = async (milliseconds: number) => {
      slept.push(milliseconds);
      if (slept.length === 2) stopping.abort();
    };
    const closed: number[] = [];
    const closeOdd = (item: number) => item % 2 === 1 && closed.push(item) > 0;
    const clock = { random: () => 0.5, sleep };
    await closeAtPace([0, 1, 2, 3, 4, 5, 6], { atOnce: 1, pauseMs: 30 }, closeOdd, clock, stopping.signal);
    expect([closed, slept]).toEqual([
      [1, 3],
      [30, 30],
    ]);
  });
});
