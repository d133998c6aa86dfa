import { beforeEach, expect, it } from 'vitest';
import type { Permission } from '../../../shared/access/accounts/access-control.ts';
import { withPruneLock, withUploadLock } from '../../../shared/fleet/code/code-lock.ts';
import { keepStageCounts } from '../../../shared/fleet/stages/stage-progress.ts';
import { readActivity, restrictActivity, type ShownActivity } from '../../../shared/http/activity.ts';
import { NEW_ROLLOUT, type Rollout, RolloutStore } from '../../../shared/orchestrator/notify/rollout-state.ts';
import type { PlanRecord } from '../../../shared/store/ports/job-records.ts';
import { JOB } from '../../helpers/job-records.ts';
import { ManualClock, MemoryDocuments, MemoryEnvironments } from '../../helpers/memory-stores.ts';
import { OWNER } from '../../helpers/orchestration.ts';

const DAY = 24 * 3600_000;
const NONE = { visible: 0, inFlight: 0, oldestAgeMs: 0 };
const WAVE = { job: 7, canaries: 2, phase: 'canary', since: 5, codeId: null, isSuperseded: false } as const;

let clock: ManualClock;
let documents: MemoryDocuments;
let environments: MemoryEnvironments;
let open: Readonly<Record<'job' | 'plan', number[]>>;
let depth: Record<'waiting' | 'express' | 'background' | 'dead', typeof NONE>;
let ends: readonly { readonly name: string; readonly at: Date }[];

beforeEach(() => {
  clock = new ManualClock();
  documents = new MemoryDocuments();
  environments = new MemoryEnvironments();
  open = { job: [], plan: [] };
  depth = { waiting: NONE, express: NONE, background: NONE, dead: NONE };
  ends = [];
});

const PLAN: PlanRecord = {
  ...{ state: 'running', planName: 'app::release', description: '', owner: OWNER, createdAt: 1, finishedAt: null },
  ...{ parameters: { value: {} }, sensitive: [], result: null, userdata: {}, environment: null, jobs: [] },
};
const ledger = (number: number, body: unknown) => ({ number, version: 1, body, stop: null }) as never;
/** The open jobs; odd ones are of a task. */
const jobs = {
  listOpen: async (kind: string) => (kind === 'job' ? open.job : open.plan),
  get: async (kind: string, number: number) =>
    ledger(number, kind === 'plan' ? PLAN : { ...JOB, nodeCount: number, task: number % 2 === 1 ? 'service' : null }),
};
const read = (hasAuthority = true) =>
  readActivity({
    stores: { documents, clock, environments, jobs },
    readDepth: async () => depth,
    authority: () => (hasAuthority ? { listCertificateEnds: () => ends } : null),
  });
const roll = (lane: string, rollout: Partial<Rollout>) =>
  new RolloutStore(documents).put(lane, { ...NEW_ROLLOUT, ...rollout });

it('is empty when nothing is under way', async () => {
  await roll('production|paced|any', {});
  expect(await read()).toEqual({
    ...{ at: clock.now(), hasCode: false, stages: [], fanOuts: [], notified: [], jobs: { count: 0, newest: [] } },
    ...{ codeWork: [], oldQueues: [], expires: null },
  });
});

it('names staged deploys, and those that reach their nodes', async () => {
  const record = { codeId: 'a', deployedAt: 1, by: 'jane', history: [], revision: 1, settled: 1 };
  const plan = { waitMs: 600, whenGood: 'hold', whenWorse: 'hold', whenLate: 'hold', countsChanges: false } as const;
  const stage = { number: 1, codeId: 'b', begunAt: 5, by: 'jane', canaries: ['a.test', 'b.test'], plan };
  const held = { reason: 'a.test: its run failed', at: 6, cause: 'worse' } as never;
  await environments.replace({ ...record, name: 'trying', stage }, null);
  await environments.replace({ ...record, name: 'held', stage: { ...stage, held } }, null);
  await environments.replace({ ...record, name: 'ending', stage: { ...stage, isEnding: true } }, null);
  await environments.replace({ ...record, name: 'reaching', revision: 2 }, null);
  await keepStageCounts('held', stage, [{ status: 'good' }, { status: 'worse' }], { documents });
  // Counts of a stage before say nothing.
  await keepStageCounts('trying', { number: 9 }, [{ status: 'good' }], { documents });
  const { hasCode, stages, fanOuts } = await read();
  const shown = { codeId: 'b', canaries: 2, since: 5, until: 605 };
  expect({ hasCode, stages, fanOuts }).toEqual({
    hasCode: true,
    stages: [
      { ...shown, environment: 'trying', good: null, worse: null, state: 'trial', reason: null },
      { ...shown, environment: 'held', good: 1, worse: 1, state: 'held', reason: 'a.test: its run failed' },
    ],
    fanOuts: [{ environment: 'reaching', nodes: 0 }],
  });
});

it('names the newest open jobs and plans, and counts all, without those of changed catalogs', async () => {
  open = { job: [4, 5, 6, 7, 8], plan: [9] };
  await roll('production|paced|any', { waves: [{ ...WAVE, job: 8 }] });
  expect((await read()).jobs).toEqual({
    count: 5,
    newest: [
      { kind: 'job', name: '5', work: 'service', nodes: 5 },
      { kind: 'job', name: '6', work: 'deploy', nodes: 6 },
      { kind: 'job', name: '7', work: 'service', nodes: 7 },
      { kind: 'plan', name: '9', work: 'app::release', nodes: null },
    ],
  });
});

it.each([
  ['nothing more', [], { notified: null, jobs: null, codeWork: ['deploy'], expires: null }],
  ['jobs', ['orchestrator:view'], { codeWork: ['deploy'], expires: null }],
  ['upkeep', ['configuration:view'], { notified: null, jobs: null, expires: null }],
  ['the CA', ['cert_requests:accept_reject'], { notified: null, jobs: null, codeWork: ['deploy'] }],
])('shows a user who may see %s', async (_, rights, hidden) => {
  const shown: ShownActivity = {
    ...(await read()),
    codeWork: ['deploy', 'backup', 'pruning'],
    expires: { name: 'CN=ca', at: 7 },
  };
  const permits = async ({ objectType, action }: Permission) =>
    (rights as readonly string[]).includes(`${objectType}:${action}`);
  expect(await restrictActivity(shown, permits)).toEqual({ ...shown, ...hidden });
});

it('names the environments whose nodes run, and why a lane is paused', async () => {
  await roll('production|paced|any', { waves: [WAVE, { ...WAVE, job: 8 }] });
  await roll('dev|now|any', { waves: [{ ...WAVE, phase: 'rest', since: null }] });
  const paused = { job: 3, codeId: null, at: 9, reason: 'a.test: 1 resource failed', nodes: ['a.test'] };
  await roll('staging|now|any', { waves: [WAVE], paused });
  const { notified } = await read();
  expect(notified?.toSorted((a, b) => a.environment.localeCompare(b.environment))).toEqual([
    { environment: 'dev', job: '7', state: 'running', since: null, reason: null },
    { environment: 'production', job: '7', state: 'canaries', since: 5, reason: null },
    { environment: 'staging', job: '3', state: 'paused', since: 9, reason: 'a.test: 1 resource failed' },
  ]);
});

it('names work on the stored code while it lasts', async () => {
  const stores = { documents, clock };
  const seen = await withUploadLock(stores, () => {
    // Leases are named by the time.
    clock.time += 1;
    return withUploadLock(stores, () => read(), 'backup');
  });
  expect(seen.codeWork.toSorted()).toEqual(['backup', 'deploy']);
  const pruning = await withPruneLock(stores, () => read());
  expect(pruning?.codeWork).toEqual(['pruning']);
  expect((await read()).codeWork).toEqual([]);
});

it('names no work whose process died long ago', async () => {
  await withUploadLock({ documents, clock }, async () => {
    clock.time += DAY;
    expect((await read()).codeWork).toEqual([]);
  });
});

it('names queues whose oldest job waits for long', async () => {
  depth.waiting = { ...NONE, visible: 3, oldestAgeMs: 121_000 };
  depth.express = { ...NONE, visible: 9, oldestAgeMs: 121_000 };
  depth.background = { ...NONE, visible: 9, oldestAgeMs: DAY };
  expect((await read()).oldQueues).toEqual([{ queue: 'waiting', visible: 3, oldestAgeMs: 121_000 }]);
});

it('names the certificate of the CA that ends first, and soon', async () => {
  ends = [
    { name: 'CN=root', at: new Date(clock.now() + 80 * DAY) },
    { name: 'CN=ca', at: new Date(clock.now() + 7 * DAY) },
    { name: 'CN=other', at: new Date(clock.now() + 300 * DAY) },
  ];
  expect((await read()).expires).toEqual({ name: 'CN=ca', at: clock.now() + 7 * DAY });
  expect((await read(false)).expires).toBeNull();
});
