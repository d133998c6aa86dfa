import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FleetEvents } from '../../../../shared/fleet/overview/fleet-events.ts';
import { showJobs } from '../../../../shared/http/operator/job-events.ts';
import { JobsElsewhere } from '../../../../shared/http/operator/jobs-elsewhere.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import type { JobRecord } from '../../../../shared/store/ports/job-records.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';
import { OWNER } from '../../../helpers/orchestration.ts';

const clock = new ManualClock();
let folder: string;
let stores: EmbeddedStores;
let events: FleetEvents;
let own: number[];
let calls: number;
let watch: JobsElsewhere;
let isWatched = true;

const JOB: JobRecord = {
  ...{
    command: 'deploy',
    environment: '',
    owner: OWNER,
    task: null,
    description: '',
    concurrency: null,
    planJob: null,
  },
  ...{ createdAt: 1, startedAt: null, finishedAt: null, stays: [{ state: 'new', enteredAt: 1, leftAt: null }] },
  ...{ options: { value: {} }, order: { value: {} }, targets: 'jobs/1/targets', nodeCount: 3, nodeStates: {} },
};

async function create(): Promise<number> {
  const number = await stores.jobs.takeNumbers('ledgers', 1);
  await stores.jobs.create('job', number, JOB, { isOpen: true, expiresAt: clock.now() + 3600_000 });
  return number;
}

async function commit(number: number, change: Partial<JobRecord>, isOpen = true): Promise<void> {
  const ledger = await stores.jobs.get('job', number);
  if (ledger === null) throw new Error('no job');
  const body = { ...ledger.body, ...change };
  expect(await stores.jobs.commit('job', number, ledger.version, { body, isOpen }, `${clock.random()}`)).toBe(true);
}

const takeEvents = () => {
  const found = (events.after(0) ?? []).map(({ event }) => event);
  events = new FleetEvents(1);
  return found;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-jobs-'));
  stores = openEmbeddedStores(folder, { clock });
  [events, own, calls, isWatched] = [new FleetEvents(1), [], 0, true];
  const counted = {
    get: (...given: Parameters<typeof stores.jobs.get>) => {
      calls += 1;
      return stores.jobs.get(...given);
    },
    listOpen: () => {
      calls += 1;
      return stores.jobs.listOpen('job');
    },
  };
  watch = new JobsElsewhere({
    jobs: counted as unknown as typeof stores.jobs,
    clock,
    findOwn: () => own,
    isWatched: () => isWatched,
    reportProgress: (progress) => showJobs(events, clock)(progress),
    reportFailure: (message, cause) => expect.fail(`${message}: ${cause}`),
  });
});
afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

it('reports what jobs of other processes do, to their end, and nothing of its own', async () => {
  const [theirs, ours] = [await create(), await create()];
  own.push(ours);
  await watch.look();
  expect(takeEvents()).toEqual([]);
  await commit(theirs, { nodeStates: { running: 2 } });
  await commit(ours, { nodeStates: { running: 3 } });
  const later = await create();
  await watch.look();
  const event = { kind: 'job', command: 'deploy', environment: null };
  expect(takeEvents()).toEqual([
    { ...event, id: String(theirs), state: 'new', nodeStates: { new: 1, running: 2 } },
    { ...event, id: String(later), state: 'new', nodeStates: { new: 3 } },
  ]);
  await watch.look();
  expect(takeEvents()).toEqual([]);
  const stays = [{ state: 'finished', enteredAt: 5, leftAt: null }] as const;
  await commit(theirs, { stays, nodeStates: { finished: 3 } }, false);
  await watch.look();
  await watch.look();
  expect(takeEvents()).toEqual([
    { ...event, id: String(theirs), state: 'finished', nodeStates: { new: 0, finished: 3 } },
  ]);
});

it('looks at 50 jobs at most, and at none while nobody wants to know', async () => {
  for (let index = 0; index < 60; index += 1) await create();
  await watch.look();
  expect(calls).toBe(51);
  isWatched = false;
  const ending = new AbortController();
  const sleep = clock.sleep.bind(clock);
  let naps = 0;
  clock.sleep = async (milliseconds) => {
    naps += 1;
    if (naps === 3) ending.abort();
    await sleep(milliseconds);
  };
  await watch.run(ending.signal);
  clock.sleep = sleep;
  expect([naps, calls]).toEqual([3, 51]);
});
