import { expect, it } from 'vitest';
import type { JobRecord, LedgerEvent, TaskTargetRecord } from '../../../shared/store/ports/job-records.ts';
import type { JobStore } from '../../../shared/store/ports/job-store.ts';
import { JOB, run } from '../../helpers/job-records.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 24 * 3600_000;
const OPEN = { isOpen: true, expiresAt: NOW + 30 * DAY_MS };

const event = (id: number): LedgerEvent => ({
  id,
  type: 'node_running',
  at: NOW,
  details: { node: 'n' },
  message: '…',
});

async function createJob(jobs: JobStore, body: JobRecord = JOB): Promise<number> {
  const number = await jobs.takeNumbers('ledgers', 1);
  await jobs.create('job', number, body, OPEN);
  return number;
}

describeStores('JobStore', (open) => {
  it('takes blocks of numbers, each once', async () => {
    const { jobs } = await open();
    expect(await jobs.takeNumbers('events', 3)).toBe(1);
    expect(await jobs.takeNumbers('events', 1)).toBe(4);
    expect(await jobs.takeNumbers('ledgers', 2)).toBe(1);
    const taken = await Promise.all(Array.from({ length: 8 }, () => jobs.takeNumbers('events', 5)));
    expect(taken.toSorted((a, b) => a - b)).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
  });

  it('creates a ledger once, and lists ledgers of a kind by number', async () => {
    const { jobs } = await open();
    const first = await createJob(jobs);
    await jobs.create('job', first, { ...JOB, description: 'again' }, OPEN);
    for (let count = 0; count < 11; count += 1) await createJob(jobs);
    const target: TaskTargetRecord = {
      displayName: 't',
      tasks: ['a::b'],
      isForAllTasks: false,
      nodes: [],
      nodeGroups: [],
      query: null,
    };
    await jobs.create('target', 5, target, { isOpen: false, expiresAt: null });
    expect(await jobs.get('job', first)).toEqual({ number: first, version: 1, body: JOB, stop: null });
    expect(await jobs.get('job', 99)).toBeNull();
    expect((await jobs.list('job', 0, 100)).map(({ number }) => number)).toEqual(
      [...Array(12).keys()].map((n) => n + 1),
    );
    expect((await jobs.list('job', 9, 2)).map(({ number }) => number)).toEqual([10, 11]);
    expect(await jobs.list('target', 0, 9)).toEqual([{ number: 5, version: 1, body: target, stop: null }]);
    await jobs.remove('target', 5);
    expect(await jobs.get('target', 5)).toBeNull();
  });

  it('commits body, nodes and events, one writer a version', async () => {
    const { jobs } = await open();
    const number = await createJob(jobs);
    const body = { ...JOB, startedAt: NOW, nodeStates: { running: 1 } };
    const change = { body, nodes: [run('b'), run('a')], events: [event(1), event(2)] };
    expect(await jobs.commit('job', number, 1, change, 'one')).toBe(true);
    expect(await jobs.commit('job', number, 1, { body: JOB, events: [event(3)] }, 'two')).toBe(false);
    expect(await jobs.commit('job', number, 7, { body: JOB }, 'two')).toBe(false);
    expect(await jobs.commit('job', 99, 1, { body: JOB }, 'two')).toBe(false);
    expect(await jobs.get('job', number)).toEqual({ number, version: 2, body, stop: null });
    expect(await jobs.listNodes(number, '', 10)).toEqual([run('a'), run('b')]);
    expect(await jobs.listEvents('job', number, 0, 10)).toEqual([event(1), event(2)]);
    const failed = run('a', 'failed', { text: '☃'.repeat(20_000) });
    expect(await jobs.commit('job', number, 2, { body, nodes: [failed] }, 'three')).toBe(true);
    expect(await jobs.listNodes(number, '', 1)).toEqual([failed]);
    expect(await jobs.listNodes(number, 'a', 10)).toEqual([run('b')]);
    expect(await jobs.getNode(number, 'a')).toEqual(failed);
    expect([await jobs.getNode(number, 'c'), await jobs.getNode(99, 'a')]).toEqual([null, null]);
  });

  it('takes a repeated commit for the same one', async () => {
    const { jobs } = await open();
    const number = await createJob(jobs);
    const change = { body: { ...JOB, description: 'once' }, events: [event(1)] };
    expect(await jobs.commit('job', number, 1, change, 'one')).toBe(true);
    expect(await jobs.commit('job', number, 1, change, 'one')).toBe(true);
    expect((await jobs.get('job', number))?.version).toBe(2);
    expect(await jobs.listEvents('job', number, 0, 10)).toEqual([event(1)]);
  });

  it('has one history when many write at once', async () => {
    const { jobs } = await open();
    const number = await createJob(jobs);
    const write = (writer: number) =>
      jobs.commit('job', number, 1, { body: JOB, events: [event(writer)] }, `w${writer}`);
    const won = await Promise.all([1, 2, 3, 4, 5].map(write));
    expect(won.filter(Boolean)).toHaveLength(1);
    const [only, ...more] = await jobs.listEvents('job', number, 0, 10);
    expect([only?.id, more]).toEqual([won.indexOf(true) + 1, []]);
  });

  it('lists events from an id, whatever the changes that they came with', async () => {
    const { jobs } = await open();
    const number = await createJob(jobs);
    let id = 1;
    for (let version = 1; version <= 30; version += 1) {
      // Ids of other jobs lie between those of this one.
      const events = Array.from({ length: version === 3 ? 200 : 3 }, (_, index) => event(id + index));
      id += events.length + 2;
      await jobs.commit('job', number, version, { body: JOB, events }, `v${version}`);
    }
    const all = await jobs.listEvents('job', number, 0, 1000);
    expect(all).toHaveLength(287);
    expect(all.map((one) => one.id)).toEqual(all.map((one) => one.id).toSorted((a, b) => a - b));
    for (const start of [2, 4, 11, 150, 210, 211, 212, 213, 290, 999]) {
      expect(await jobs.listEvents('job', number, start, 1000)).toEqual(all.filter((one) => one.id >= start));
    }
    expect(await jobs.listEvents('job', number, 5, 4)).toEqual(all.filter((one) => one.id >= 5).slice(0, 4));
    expect(await jobs.listEvents('plan', number, 0, 10)).toEqual([]);
  });

  it('gives a job to one owner at a time, and shuts out the one before', async () => {
    const { jobs } = await open();
    const number = await createJob(jobs);
    const claimed = await jobs.claim('job', number, { owner: 'a', until: NOW + 10 }, NOW);
    expect(claimed).toEqual({ number, version: 2, body: JOB, stop: null });
    expect(await jobs.claim('job', number, { owner: 'b', until: NOW + 20 }, NOW + 9)).toBeNull();
    const renewal = { body: JOB, lease: { owner: 'a', until: NOW + 30 } };
    expect(await jobs.commit('job', number, 2, renewal, 'a1')).toBe(true);
    expect(await jobs.claim('job', number, { owner: 'b', until: NOW + 40 }, NOW + 29)).toBeNull();
    expect((await jobs.claim('job', number, { owner: 'b', until: NOW + 60 }, NOW + 30))?.version).toBe(4);
    expect(await jobs.commit('job', number, 3, { body: { ...JOB, description: 'late' } }, 'a2')).toBe(false);
    expect((await jobs.claim('job', number, { owner: 'b', until: NOW + 70 }, NOW + 31))?.version).toBe(5);
    expect(await jobs.claim('job', 99, { owner: 'b', until: NOW + 60 }, NOW)).toBeNull();
  });

  it('lists open ledgers until they are closed', async () => {
    const { jobs } = await open();
    const numbers = [await createJob(jobs), await createJob(jobs)];
    expect(await jobs.listOpen('job')).toEqual(numbers);
    await jobs.commit('job', 1, 1, { body: JOB, isOpen: false }, 'end');
    expect(await jobs.listOpen('job')).toEqual([2]);
    expect(await jobs.listOpen('plan')).toEqual([]);
  });

  it('keeps what a job was asked for over commits', async () => {
    const { jobs } = await open();
    const number = await createJob(jobs);
    await jobs.requestStop(number, 'soft');
    expect((await jobs.get('job', number))?.stop).toBe('soft');
    await jobs.requestStop(number, 'force');
    await jobs.requestStop(number, 'soft');
    await jobs.commit('job', number, 1, { body: JOB }, 'one');
    expect((await jobs.claim('job', number, { owner: 'a', until: NOW }, NOW))?.stop).toBe('force');
    await jobs.requestStop(99, 'soft');
    expect(await jobs.get('job', 99)).toBeNull();
  });
});
