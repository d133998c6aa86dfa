import { expect, it } from 'vitest';
import { keepMemoryAtRest } from '../../../shared/local/memory-at-rest.ts';

const MB = 1024 * 1024;

/** One interval: the share of it that the thread worked, and the heap after it, in megabytes. */
type Interval = readonly [busy: number, reserved: number, used: number];

/** Lets intervals go by; answers in which of them garbage was collected. */
async function listCollections(intervals: readonly Interval[], usedAfter: number): Promise<readonly number[]> {
  const stopping = new AbortController();
  const collected: number[] = [];
  let index = -1;
  let isCollected = false;
  const clock = {
    async sleep() {
      index += 1;
      isCollected = false;
      if (index === intervals.length) stopping.abort();
    },
  };
  const measures = {
    readBusyShare: () => (isCollected ? 1 : (intervals[index]?.[0] ?? 1)),
    readHeap() {
      const [, reserved, used] = intervals[index] ?? [1, 0, 0];
      return isCollected
        ? { reserved: usedAfter * MB, used: usedAfter * MB }
        : { reserved: reserved * MB, used: used * MB };
    },
  };
  await keepMemoryAtRest(clock, stopping.signal, measures, () => {
    collected.push(index);
    isCollected = true;
  });
  return collected;
}

it.each<readonly [string, readonly Interval[], readonly number[]]>([
  [
    'a thread that works',
    [
      [0.5, 100, 50],
      [0.06, 100, 50],
    ],
    [],
  ],
  [
    'a thread that came to rest, once',
    [
      [0.5, 112, 60],
      [0.01, 112, 60],
      [0, 44, 44],
      [0, 46, 45],
    ],
    [1],
  ],
  [
    'one that works and rests again',
    [
      [0, 112, 60],
      [0.9, 112, 90],
      [0, 112, 90],
    ],
    [0, 2],
  ],
  [
    'one whose heap is full of new garbage',
    [
      [0, 112, 60],
      [0, 60, 58],
    ],
    [0, 1],
  ],
  ['one with little room', [[0, 55, 44]], [0]],
])('collects garbage of %s', async (_, intervals, collections) => {
  expect(await listCollections(intervals, 44)).toEqual(collections);
});

it('does nothing where Node does not offer it', async () => {
  const never = { sleep: () => Promise.reject(new Error('waits')) };
  await keepMemoryAtRest(never, new AbortController().signal, undefined, undefined);
});
