import { beforeEach, describe, expect, it } from 'vitest';
import {
  findCompileTime,
  noteFanOut,
  pruneWorkHours,
  readWorkHours,
  WorkHours,
} from '../../../../shared/fleet/reports/work-hours.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const HOUR_MS = 3600_000;
const NOTHING = { fanOut: {}, peaks: {} };
let documents: MemoryDocuments;
let clock: ManualClock;

beforeEach(() => {
  documents = new MemoryDocuments();
  clock = new ManualClock(Date.UTC(2026, 10, 30, 1, 30));
});
const open = (process: string) => new WorkHours(documents, clock, process);
const read = (hours = 24) => readWorkHours(documents, clock.now(), hours);

describe('the work of the hours', () => {
  it('is the sum of all processes, by the hour', async () => {
    const [one, other] = [open('one'), open('other')];
    one.noteRun('changed', false);
    one.noteRun('changed', true);
    one.noteRun('unchanged', true);
    other.noteRun('failed', false);
    other.noteRun(undefined, false);
    other.noteCompile('compiled', 90);
    other.note('answers', 'hit');
    await one.flush();
    await other.flush();
    clock.time += HOUR_MS;
    one.noteRun('unchanged', false);
    await one.flush();
    expect(await read()).toEqual([
      {
        at: Date.UTC(2026, 10, 30, 1),
        runs: { changed: 2, noop: 1, failed: 2 },
        answers: { hit: 1 },
        compiles: { compiled: 1 },
        compileMs: { '100': 1 },
        ...NOTHING,
      },
      {
        ...{ at: Date.UTC(2026, 10, 30, 2), runs: { unchanged: 1 }, answers: {}, compiles: {}, compileMs: {} },
        ...NOTHING,
      },
    ]);
    expect(await read(1)).toHaveLength(1);
  });

  it('is written when it changed, as a whole, whatever the number of runs', async () => {
    let writes = 0;
    const put = documents.put.bind(documents);
    documents.put = (...given) => {
      writes += 1;
      return put(...given);
    };
    const hours = open('one');
    for (let run = 0; run < 4000; run += 1) hours.noteRun('unchanged', false);
    await hours.flush();
    await hours.flush();
    expect(writes).toBe(1);
    hours.noteRun('changed', false);
    await hours.flush();
    expect(writes).toBe(2);
    expect(await read()).toMatchObject([{ runs: { unchanged: 4000, changed: 1 } }]);
  });

  it('has the greatest age of the queue of all processes', async () => {
    const [one, other] = [open('one'), open('other')];
    for (const age of [0, 4_000.4, 900]) one.noteQueueAge(age);
    other.noteQueueAge(2_000);
    await one.flush();
    await other.flush();
    expect(await read()).toMatchObject([{ peaks: { queueAgeMs: 4_000 } }]);
  });

  it('without a job that waits needs no document', async () => {
    const hours = open('one');
    hours.noteQueueAge(0);
    await hours.flush();
    expect(await read()).toEqual([]);
  });

  it('has the nodes that deploys invalidated, each deploy once', async () => {
    await noteFanOut(documents, clock.now(), 'production/1', 40);
    await noteFanOut(documents, clock.now(), 'production/1', 40);
    await noteFanOut(documents, clock.now(), 'staging/1', 2);
    await noteFanOut(documents, clock.now(), 'production/2', 0);
    expect(await read()).toMatchObject([{ fanOut: { invalidated: 42 } }]);
  });

  it('is written again after a failure', async () => {
    const put = documents.put.bind(documents);
    documents.put = () => Promise.reject(new Error('away'));
    const hours = open('one');
    hours.noteRun('changed', false);
    await expect(hours.flush()).rejects.toThrow('away');
    documents.put = put;
    clock.time += 2 * HOUR_MS;
    await hours.flush();
    expect(await read()).toMatchObject([{ runs: { changed: 1 } }]);
  });

  it('is deleted after ninety days', async () => {
    const hours = open('one');
    hours.noteRun('changed', false);
    await hours.flush();
    clock.time += 89 * 24 * HOUR_MS;
    hours.noteRun('changed', false);
    await hours.flush();
    await pruneWorkHours(documents, clock.now());
    expect(await read(91 * 24)).toHaveLength(2);
    clock.time += 2 * 24 * HOUR_MS;
    await pruneWorkHours(documents, clock.now());
    expect(await read(91 * 24)).toHaveLength(1);
  });
});

it.each([
  [{}, 0.5, null],
  [{ '50': 98, '1000': 1, more: 1 }, 0.5, 50],
  [{ '50': 98, '1000': 1, more: 1 }, 0.99, 1000],
  [{ more: 3 }, 0.5, 120_000],
])('the time below which of %o a share of %d stayed is %s', (counts, share, expected) => {
  expect(findCompileTime(counts, share)).toBe(expected);
});
