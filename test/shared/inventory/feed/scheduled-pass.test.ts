import { beforeEach, expect, it } from 'vitest';
import { continueScheduledPass, keepPassing, requestPass } from '../../../../shared/inventory/feed/scheduled-pass.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const HOUR = 3600_000;
const clock = new ManualClock(Date.UTC(2026, 10, 29));
let documents: MemoryDocuments;
let marks: string[];
const consumer = {
  name: 'inventory test',
  continuePass: async (mark: string) => {
    marks.push(mark);
    return { '': 'nodes b', 'nodes b': 'gone ' }[mark] ?? null;
  },
};
const go = (hasTime = () => true) => continueScheduledPass({ documents, clock }, consumer, hasTime);

beforeEach(() => {
  documents = new MemoryDocuments();
  marks = [];
});

it('passes over all nodes when the inventory is new, and once a day then', async () => {
  for (let hour = 0; hour < 49; hour += 1) {
    expect(await go()).toBe(true);
    clock.time += HOUR;
  }
  const pass = ['', 'nodes b', 'gone '];
  expect(marks).toEqual([...pass, ...pass, ...pass]);
});

it('goes on where the time of the last call ended', async () => {
  expect(await go(() => marks.length < 1)).toBe(false);
  expect(await go(() => marks.length < 2)).toBe(false);
  expect(marks).toEqual(['', 'nodes b']);
  expect(await go()).toBe(true);
  expect(marks).toEqual(['', 'nodes b', 'gone ']);
});

it('begins anew with the next call when a pass is requested meanwhile', async () => {
  const asked = {
    ...consumer,
    continuePass: async (mark: string) => {
      if (mark === 'nodes b') await requestPass(documents, consumer);
      return consumer.continuePass(mark);
    },
  };
  expect(await continueScheduledPass({ documents, clock }, asked, () => true)).toBe(false);
  expect(await go()).toBe(true);
  expect(marks).toEqual(['', 'nodes b', '', 'nodes b', 'gone ']);
});

it('takes the pass of an earlier release, whose end is not known, for one that is due', async () => {
  await documents.put('inventory-passes', consumer.name, { mark: null });
  expect(await go()).toBe(true);
  expect(marks).toHaveLength(3);
});

it('passes once a day in a server that follows the log, and goes on after a failure', async () => {
  const started = clock.time;
  const ending = new AbortController();
  const failures: unknown[] = [];
  const times: number[] = [];
  const failing = {
    ...consumer,
    continuePass: async (mark: string) => {
      times.push((clock.time - started) / HOUR);
      if (times.length === 1) throw new Error('away');
      if (times.length === 5) ending.abort();
      return consumer.continuePass(mark);
    },
  };
  await keepPassing({ documents, clock }, failing, ending.signal, (error) => failures.push(error));
  expect(times).toEqual([24, 25, 25, 25, 49]);
  expect(failures).toEqual([new Error('away')]);
});
