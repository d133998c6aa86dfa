import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { budgetOf, DEFAULT_RING, feed, type RingOptions } from '../../../../shared/fleet/compiles/ring.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const NODES = Array.from({ length: 6 }, (_, index) => `n${index}.example.com`);
const MINUTE = 60_000;
let world: CompileWorld;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock();
  world = new CompileWorld(clock);
  world.write({ 'environments/production/manifests/site.pp': '' });
  await world.deploy();
  for (const certname of NODES) {
    clock.time += 1000;
    await world.stores.nodes.markSeen(certname, 'production', clock.time);
    await world.stores.nodes.want(certname, 'first catalog', clock.time, { asked: true });
    await world.stores.queue.send('express', [{ certname, generation: 1, reason: 'first catalog', at: clock.time }]);
    await world.runJobs();
  }
});
afterEach(() => world.close());

const round = (options: Partial<RingOptions> = {}) => feed(world.stores, { ...DEFAULT_RING, ...options });

it('feeds the nodes least recently compiled, within the budget, and goes on where it stopped', async () => {
  clock.time += 60 * MINUTE;
  const fed: (readonly string[])[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await round({ leastBudget: 2 });
    fed.push((await world.runJobs()).map(({ certname }) => certname));
  }
  expect(fed).toEqual([NODES.slice(0, 2), NODES.slice(2, 4), NODES.slice(4), []]);
  expect(await world.stores.nodes.get(NODES[0] ?? '')).toMatchObject({
    wanted: 1,
    built: 1,
    compiles: 1,
    verifications: 1,
  });
});

it('does not fill the background queue beyond its depth', async () => {
  clock.time += 60 * MINUTE;
  // Two nodes a round: the queue holds those of two rounds.
  const options = { leastDepth: 1, leastBudget: 2 };
  expect(await round(options)).toMatchObject({ fed: 2 });
  expect(await round(options)).toMatchObject({ fed: 2 });
  expect(await round(options)).toMatchObject({ fed: 0 });
  await world.runJobs();
  expect(await round(options)).toMatchObject({ fed: 2 });
});

it.each([
  // 1,000,000 nodes in a day: 869 a minute with the reserve, and 2,778 when the turn is late.
  [1_000_000, 24, 23, 869],
  [1_000_000, 24, 25, 2778],
  [4000, 24, 23, 10],
  [4000, 1, 0, 84],
  [0, 24, 0, 10],
])('feeds %i nodes in a turn of %i hours at a lag of %i hours with %i a round', (nodes, turn, lag, budget) => {
  const hour = 60 * MINUTE;
  expect(budgetOf(nodes, lag * hour, { ...DEFAULT_RING, turnMs: turn * hour })).toBe(budget);
});

it('asks again for all nodes whose jobs are lost, page by page', async () => {
  const many = Array.from({ length: 1200 }, (_, index) => `lost${index}.example.com`);
  for (const certname of many) {
    await world.stores.nodes.markSeen(certname, 'production', clock.time);
    await world.stores.nodes.want(certname, 'lost', clock.time, { asked: true });
  }
  clock.time += 11 * MINUTE;
  expect(await round({ mostAsked: 1100 })).toMatchObject({ asked: 1100 });
  expect(await round()).toMatchObject({ asked: 100 });
  expect(await round()).toMatchObject({ asked: 0 });
});

it('leaves nodes alone that had their turn lately, and tells the lag', async () => {
  expect(await round()).toEqual({ settled: [], asked: 0, fed: 0, lagMs: 5000 });
  clock.time += 31 * MINUTE;
  expect(await round()).toMatchObject({ fed: 6, lagMs: 31 * MINUTE + 5000 });
});

it('asks again, once, for a node whose job is lost', async () => {
  const [lost = ''] = NODES;
  await world.stores.nodes.want(lost, 'a message that never came', clock.time, { asked: true });
  expect(await round()).toMatchObject({ asked: 0 });
  clock.time += 11 * MINUTE;
  expect(await round()).toMatchObject({ asked: 1 });
  expect(await round()).toMatchObject({ asked: 0 });
  expect(await world.runJobs()).toMatchObject([{ certname: lost, outcome: 'verified' }]);
  expect(await world.stores.nodes.get(lost)).toMatchObject({ wanted: 2, built: 2 });
});

it('asks again within minutes for a node whose process ended before it sent the job', async () => {
  const [unsent = '', queued = ''] = NODES;
  for (const certname of [unsent, queued]) await world.stores.nodes.want(certname, 'x', clock.time, { asked: true });
  await world.stores.queue.send('express', [{ certname: queued, generation: 2, reason: 'x', at: clock.time }]);
  clock.time += MINUTE - 1;
  expect(await round()).toMatchObject({ asked: 0 });
  clock.time += 2;
  expect(await round()).toMatchObject({ asked: 1 });
  expect(await round()).toMatchObject({ asked: 0 });
  expect((await world.runJobs()).map(({ certname }) => certname).sort()).toEqual([unsent, queued]);
});

it('lets a node that is outstanding keep its generation', async () => {
  const [first = ''] = NODES;
  await world.stores.nodes.want(first, 'x', clock.time, { asked: true });
  clock.time += 40 * MINUTE;
  await round({ leastBudget: 1, lostAfterMs: 1e9 });
  expect((await world.runJobs())[0]).toMatchObject({ certname: first, outcome: 'verified' });
  expect(await world.stores.nodes.get(first)).toMatchObject({ wanted: 2, built: 2 });
  expect((await answerCheckIn(world.createService(), checkIn(first))).status).toBe('current');
});

it('goes on with the ring and with other deploys when one of them cannot be completed', async () => {
  const { environments, blobs, queue, nodes } = world.stores;
  const [lost = ''] = NODES;
  await nodes.want(lost, 'message lost', clock.time, { asked: true });
  for (const name of ['broken', 'staging']) {
    world.write({ [`environments/${name}/manifests/${name}.pp`]: '' });
    const deployed = await world.deploy(name);
    const record = await environments.get(name);
    if (record) await environments.replace({ ...record, revision: 2, settled: 1 }, 1);
    if (name === 'broken') await blobs.delete(`snapshots/${deployed.codeId}`);
  }
  clock.time += 60 * MINUTE;
  await expect(round()).rejects.toThrow(StoreUnavailable);
  expect((await environments.get('staging'))?.settled).toBe(2);
  expect((await queue.receive(10, 0)).map(({ job, queue: name }) => `${name} ${job.certname}`)).toEqual([
    `express ${lost}`,
    ...NODES.slice(1).map((certname) => `background ${certname}`),
  ]);
});
