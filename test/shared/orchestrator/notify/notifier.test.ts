import { afterEach, describe, expect, it } from 'vitest';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { assembleNotifier } from '../../../../shared/orchestrator/notify/assemble-notifier.ts';
import { NotifyWorld, type NotifyWorldOptions } from '../../../helpers/notify-world.ts';

const worlds: NotifyWorld[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

async function openWorld(policy: object = { notify: 'now' }, options: NotifyWorldOptions = {}): Promise<NotifyWorld> {
  const world = new NotifyWorld(options);
  worlds.push(world);
  await world.setPolicy('default', policy);
  return world;
}

const namesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}.example.com`);
const [A, B, C, D] = ['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com'] as const;

it.each([
  [true, ['tick', 'tick', 'wait 4000', 'tick', 'wait 4000']],
  [false, ['tick', 'tick', 'tick', 'tick', 'tick']],
])('a notifier with nothing to do waits for a ring if it is heard: %s', async (isHeard, expected) => {
  const world = await openWorld();
  await world.addNodes([A]);
  const stop = new AbortController();
  const steps: string[] = [];
  const note = async (step: string) => {
    if (steps.push(step) === expected.length) stop.abort();
  };
  const notify = assembleNotifier({
    stores: world.stores,
    changes: {
      ...{ follow: async () => {}, forget: async () => {} },
      advance: (...args) => world.stores.nodeChanges.advance(...args),
      read: async (...args) => {
        await note('tick');
        return world.stores.nodeChanges.read(...args);
      },
    },
    gateway: world.network.openGateway(() => true),
    doorbell: { isHeard, wait: (milliseconds) => note(`wait ${milliseconds}`) },
    keepMs: 1000,
    log: () => {},
    reportFailure: (_, cause) => {
      throw cause;
    },
  });
  await notify.run(stop.signal);
  expect(steps).toEqual(expected);
});

describe('a changed catalog', () => {
  it('makes its node run within seconds, and no other, in a job', async () => {
    const world = await openWorld();
    await world.addNodes([A, B, C]);
    await world.commit(B, 'another');
    await world.commit(C, `${C} first`);
    await world.pass(3);
    expect(world.runs).toEqual({ [A]: 0, [B]: 1, [C]: 0 });
    const [job, ...others] = await world.jobs();
    expect(others).toEqual([]);
    expect(job).toMatchObject({
      state: 'finished',
      description: 'Catalogs of production changed',
      nodes: { [B]: 'finished' },
      body: { command: 'deploy', environment: 'production', owner: { login: 'understudy' }, nodeCount: 1 },
    });
    expect(world.network.agent(B).requests[0]).toMatchObject({
      module: 'pxp-module-puppet',
      params: { flags: ['--no-use_cached_catalog'], job: '1' },
    });
    await world.pass(600);
    expect(world.runs).toEqual({ [A]: 0, [B]: 1, [C]: 0 });
    expect(world.failures).toEqual([]);
  });

  it('notifies nobody where notify is off, and keeps no changes', async () => {
    const world = await openWorld({ notify: 'off' });
    await world.addNodes([A]);
    await world.commit(A, 'another');
    await world.pass(60);
    expect([world.runs, await world.jobs()]).toEqual([{ [A]: 0 }, []]);
    expect((await world.stores.nodeChanges.read('notify', 10)).changes).toEqual([]);
  });

  it('notifies nodes by their own policies and those of their environments', async () => {
    const world = await openWorld({ notify: 'off' });
    await world.setPolicy('environments/staging', { notify: 'now' });
    await world.setPolicy(`nodes/${A}`, { notify: 'now' });
    await world.setPolicy(`nodes/${C}`, { notify: 'off' });
    await world.addNodes([A, B]);
    await world.addNodes([C, D], { environment: 'staging' });
    for (const name of [A, B]) await world.commit(name, 'another');
    for (const name of [C, D]) await world.commit(name, 'another', { environment: 'staging' });
    await world.pass(5);
    expect(world.runs).toEqual({ [A]: 1, [B]: 0, [C]: 0, [D]: 1 });
    expect((await world.jobs()).map(({ body }) => body.environment).sort()).toEqual(['production', 'staging']);
  });

  it('notifies no node whose own request asked for it', async () => {
    const world = await openWorld();
    await world.addNodes([A]);
    await world.commit(A, 'another', { waiting: true });
    await world.pass(5);
    expect(world.runs).toEqual({ [A]: 0 });
  });

  it('notifies no node whose last report applied it', async () => {
    const world = await openWorld({ notify: 'paced', notify_rate: '2/min', canary: 0 });
    await world.addNodes([A, B]);
    for (const name of [A, B]) await world.commit(name, 'another');
    await world.pass(5);
    await world.checkIn(A);
    await world.pass(120);
    expect(world.runs).toEqual({ [A]: 0, [B]: 1 });
    expect((await world.jobs())[0]?.nodes).toEqual({ [A]: 'skipped', [B]: 'finished' });
  });

  it('notifies no node while a run of it is in progress, and does so afterwards', async () => {
    const world = await openWorld();
    await world.addNodes([A], { runMs: 60_000 });
    await world.commit(A, 'second');
    await world.pass(5);
    await world.commit(A, 'third');
    await world.pass(40);
    expect(world.runs).toEqual({ [A]: 1 });
    await world.pass(60);
    expect(world.runs).toEqual({ [A]: 2 });
    expect(world.applied.get(A)).toHaveLength(2);
  });

  it('is notified once when it changes several times, and the newest wins', async () => {
    const world = await openWorld({ notify: 'paced', notify_rate: '2/min', canary: 0 });
    await world.addNodes([A]);
    for (const text of ['second', 'third', 'fourth']) {
      await world.commit(A, text);
      await world.pass(3);
    }
    await world.pass(120);
    expect(world.runs).toEqual({ [A]: 1 });
    const hash = (await world.stores.nodes.get(A))?.catalog?.hash;
    expect(world.applied.get(A)).toEqual([hash]);
  });

  it('leaves ten seconds between two runs of a node, so that no two nodes chase each other', async () => {
    const world = await openWorld();
    await world.addNodes([A]);
    await world.commit(A, 'second');
    await world.pass(3);
    expect(world.runs).toEqual({ [A]: 1 });
    await world.commit(A, 'third');
    await world.commit(A, 'fourth');
    await world.pass(6);
    expect(world.runs).toEqual({ [A]: 1 });
    await world.pass(6);
    expect(world.runs).toEqual({ [A]: 2 });
  });

  it('is not notified of what a changed policy or a removed node made void', async () => {
    const world = await openWorld({ notify: 'paced', notify_rate: '2/min', canary: 0 });
    await world.addNodes([A, B]);
    for (const name of [A, B]) await world.commit(name, 'another');
    await world.pass(2);
    await world.stores.nodes.delete(A);
    await world.setPolicy('default', { notify: 'off' });
    await world.pass(120);
    expect(world.runs).toEqual({ [A]: 0, [B]: 0 });
  });

  it('is notified when it follows a new policy at once', async () => {
    const world = await openWorld({ notify: 'off' });
    await world.addNodes([A]);
    await world.pass(2);
    await world.setPolicy('default', { notify: 'now' });
    await world.commit(A, 'another');
    await world.pass(3);
    expect(world.runs).toEqual({ [A]: 1 });
  });
});

describe('a node that is not connected', () => {
  it('is notified when it connects', async () => {
    const world = await openWorld();
    await world.addNodes([A, B], { isConnected: false });
    for (const name of [A, B]) await world.commit(name, 'another');
    await world.pass(5);
    expect([await world.jobs(), (await world.notify.count(100)).parked]).toEqual([[], 2]);
    world.connect(A);
    await world.pass(3);
    expect(world.runs).toEqual({ [A]: 1, [B]: 0 });
    expect(await world.notify.count(100)).toMatchObject({ due: 0, later: 0, parked: 1, dead: 0 });
  });

  it('is forgotten when it got the catalog by itself', async () => {
    const world = await openWorld();
    await world.addNodes([A], { isConnected: false });
    await world.commit(A, 'another');
    await world.pass(5);
    await world.checkIn(A);
    await world.pass(20 * 60, 10);
    expect((await world.notify.count(100)).parked).toBe(0);
    world.connect(A);
    await world.pass(5);
    expect(world.runs).toEqual({ [A]: 0 });
  });

  it('is tried again later, and is a dead letter in the end', async () => {
    const world = await openWorld();
    await world.addNodes([A, B], {});
    world.network.agent(A).behaviour = { refusal: 'Puppet agent is disabled' };
    for (const name of [A, B]) await world.commit(name, 'another');
    await world.pass(3600, 10);
    expect(world.runs).toEqual({ [A]: 0, [B]: 1 });
    expect(await world.notify.count(100)).toMatchObject({ due: 0, later: 0, parked: 0, dead: 1 });
    expect(world.network.agent(A).requests.length).toBe(5);
    expect(world.log).toEqual([
      `${A} could not be notified of its changed catalog: Error running puppet on ${A}: Puppet agent is disabled`,
    ]);
  });
});

describe('the order of an environment', () => {
  const GRAPH = `groups:
  database: { nodes: [d.example.com] }
  web: { nodes: ['b*', 'n0*'], after: [database] }
`;

  async function change(world: NotifyWorld, names: readonly string[]): Promise<void> {
    for (const name of names) await world.commit(name, `${name} changed`);
  }

  it('has nodes run after those that they wait for', async () => {
    const world = await openWorld({ notify: 'now' }, { graph: GRAPH });
    await world.addNodes([A, B, D], { runMs: 5000 });
    await change(world, [A, B, D]);
    await world.pass(3);
    const [job] = await world.jobs();
    expect(job?.nodes).toEqual({ [A]: 'running', [D]: 'running' });
    await world.pass(20);
    expect(world.runs).toEqual({ [A]: 1, [B]: 1, [D]: 1 });
    expect(await world.jobs()).toHaveLength(1);
  });

  it('goes on from job to job: the next one begins when the first has ended', async () => {
    const world = await openWorld({ notify: 'now' }, { graph: GRAPH, mostNodes: 3 });
    const web = Array.from({ length: 5 }, (_, index) => `b${index}.example.com`);
    await world.addNodes(web);
    await world.addNodes([D], { runMs: 10_000 });
    await change(world, [...web, D]);
    await world.pass(8);
    expect(Object.entries(world.runs).filter(([, count]) => count > 0)).toEqual([[D, 1]]);
    await world.pass(20);
    expect(new Set(Object.values(world.runs))).toEqual(new Set([1]));
    expect((await world.jobs()).map(({ body }) => body.nodeCount)).toEqual([3, 3]);
  });

  it('tries nodes again together with the one that could not be run', async () => {
    const world = await openWorld({ notify: 'now' }, { graph: GRAPH });
    await world.addNodes([B, D]);
    const { behaviour } = world.network.agent(D);
    world.network.agent(D).behaviour = { refusal: 'Puppet agent is disabled' };
    await change(world, [B, D]);
    await world.pass(10);
    expect((await world.jobs())[0]?.nodes).toEqual({ [B]: 'skipped', [D]: 'errored' });
    world.network.agent(D).behaviour = behaviour;
    await world.pass(90);
    expect(world.runs).toEqual({ [B]: 1, [D]: 1 });
    expect(world.log).toEqual([]);
  });

  it('leaves nodes out that wait for one whose run failed', async () => {
    const world = await openWorld({ notify: 'now' }, { graph: GRAPH });
    await world.addNodes([B, D]);
    world.failing.set(D, 1);
    await change(world, [B, D]);
    await world.pass(600);
    expect(world.runs).toEqual({ [B]: 0, [D]: 1 });
    expect(world.log).toEqual([`${B} is not notified of its changed catalog: Skipped ${B}: it depends on ${D}`]);
  });

  it('holds everybody back while it cannot be read, and says so once', async () => {
    const world = await openWorld({ notify: 'now' }, { graph: 'groups: [' });
    await world.addNodes([A]);
    await change(world, [A]);
    await world.pass(30);
    expect(world.runs).toEqual({ [A]: 0 });
    expect(world.log).toEqual([
      expect.stringMatching(/^No node of production is notified of its changed catalog: .*line 2/),
    ]);
    world.graph = GRAPH;
    await world.pass(5);
    expect(world.runs).toEqual({ [A]: 1 });
    expect(world.failures).toEqual([]);
  });
});

it('counts percentages of the nodes of the environment', async () => {
  const world = await openWorld({ notify: 'paced', canary: '20%', notify_rate: '50%/min' });
  const [many, few] = [namesOf(60), [A, B, C, D, 'e.example.com']];
  await world.addNodes(many, { environment: 'staging' });
  await world.addNodes(few, { runMs: 20_000 });
  for (const name of few) await world.commit(name, 'another');
  await world.pass(10);
  expect(Object.values((await world.jobs())[0]?.nodes ?? {}).filter((state) => state === 'running')).toHaveLength(1);
  expect((await world.jobs())[0]?.description).toBe('Catalogs of production changed: 1 node goes first');
});

describe('a rate', () => {
  it('is kept, and the window, too', async () => {
    const world = await openWorld({ notify: 'paced', notify_rate: '30/min', notify_window: '00:05-01:00', canary: 0 });
    const names = namesOf(40);
    await world.addNodes(names);
    for (const name of names) await world.commit(name, 'another');
    await world.pass(200);
    expect(Object.values(world.runs).every((runs) => runs === 0)).toBe(true);
    const total = () => Object.values(world.runs).reduce((sum, runs) => sum + runs, 0);
    while (total() === 0) await world.pass(1);
    expect(new Date(world.clock.now()).toISOString()).toMatch(/T00:05:/);
    const before = total();
    await world.pass(60);
    expect(total() - before).toBeGreaterThanOrEqual(29);
    expect(total() - before).toBeLessThanOrEqual(31);
    await world.pass(60);
    expect(Object.values(world.runs).every((runs) => runs === 1)).toBe(true);
    expect(await world.jobs()).toHaveLength(1);
  });
});

describe('canaries', () => {
  it('go first, and the others follow when they do no worse', async () => {
    const world = await openWorld({ notify: 'now', canary: 2 });
    const names = namesOf(10);
    await world.addNodes(names, { runMs: 20_000 });
    world.failing.set(names[0] ?? '', 1);
    await world.checkIn(names[0] ?? '');
    for (const name of names) await world.commit(name, 'another');
    await world.pass(10);
    expect(Object.values(world.runs).filter((runs) => runs > 0)).toHaveLength(2);
    expect((await world.jobs())[0]?.description).toBe('Catalogs of production changed: 2 nodes go first');
    await world.pass(40);
    expect(Object.values(world.runs).every((runs) => runs === 1)).toBe(true);
    expect((await world.jobs())[0]).toMatchObject({ state: 'failed', description: 'Catalogs of production changed' });
  });

  it('that do worse hold the others back, until an operator goes on', async () => {
    const world = await openWorld({ notify: 'now', canary: 1 });
    await world.addNodes([A, B, C]);
    world.failing.set(A, 2);
    for (const name of [A, B, C]) await world.commit(name, 'another');
    await world.pass(30);
    expect(world.runs).toEqual({ [A]: 1, [B]: 0, [C]: 0 });
    expect((await world.notify.count(10)).paused).toBe(1);
    const paused =
      'Catalogs of production changed; paused: a.example.com did worse than before (2 resources failed, 0 before). ' +
      'Deploy a change that mends it, and the nodes that get newer catalogs run; ' +
      "or go on with 'understudy notify resume 1'; or give up with 'understudy job stop'";
    expect((await world.jobs())[0]).toMatchObject({ state: 'running', description: paused });
    expect(world.log).toEqual([`Job 1: ${paused}`]);
    await world.notify.resume(1);
    await world.pass(5);
    expect(world.runs).toEqual({ [A]: 1, [B]: 1, [C]: 1 });
    expect((await world.notify.count(10)).paused).toBe(0);
  });

  it('that do worse make way for newer catalogs, and go first again', async () => {
    const world = await openWorld({ notify: 'now', canary: 1 });
    await world.addNodes([A, B, C]);
    world.failing.set(B, 1);
    await world.commit(B, 'broken');
    await world.pass(10);
    for (const name of [A, C]) await world.commit(name, 'another');
    await world.pass(60);
    expect(world.runs).toEqual({ [A]: 0, [B]: 1, [C]: 0 });
    world.failing.clear();
    await world.commit(B, 'mended');
    await world.pass(1);
    expect((await world.jobs()).map(({ state }) => state)).toEqual(['failed', 'stopped']);
    await world.pass(5);
    expect(world.runs).toEqual({ [A]: 1, [B]: 2, [C]: 1 });
    const [, , last] = await world.jobs();
    expect(last?.nodes).toEqual({ [A]: 'finished', [B]: 'finished', [C]: 'finished' });
    expect(world.log).toHaveLength(2);
  });

  it('that cannot be run are replaced by others', async () => {
    const world = await openWorld({ notify: 'now', canary: 1 });
    await world.addNodes([A, B, C]);
    world.network.agent(A).behaviour = { refusal: 'no' };
    for (const name of [A, B, C]) await world.commit(name, 'another');
    await world.pass(10);
    expect(world.runs).toEqual({ [A]: 0, [B]: 1, [C]: 1 });
  });

  it('that do not end are waited for no longer than an hour', async () => {
    const world = await openWorld({ notify: 'now', canary: 1 });
    await world.addNodes([A, B], { runMs: 7200_000 });
    for (const name of [A, B]) await world.commit(name, 'another');
    await world.pass(3590, 10);
    expect((await world.notify.count(10)).paused).toBe(0);
    await world.pass(30);
    expect(world.runs).toEqual({ [A]: 1, [B]: 0 });
    expect((await world.jobs())[0]?.description).toContain(`paused: ${A} did not end within 60 minutes.`);
  });
});

describe('a job that notifies nodes', () => {
  it('can be stopped: who is due then gets the catalog at the next check-in', async () => {
    const world = await openWorld({ notify: 'paced', notify_rate: '6/min', canary: 0 });
    const names = namesOf(20);
    await world.addNodes(names);
    for (const name of names) await world.commit(name, 'another');
    await world.pass(31);
    const notified = Object.values(world.runs).filter((runs) => runs > 0).length;
    expect(notified).toBe(3);
    await world.engine.stop(1, 'soft');
    await world.pass(300);
    expect(Object.values(world.runs).filter((runs) => runs > 0)).toHaveLength(notified);
    expect((await world.jobs()).map(({ state }) => state)).toEqual(['stopped']);
    await world.commit(names[19] ?? '', 'a later one');
    await world.pass(30);
    expect(world.runs[names[19] ?? '']).toBe(1);
  });
});

describe('a process that dies', () => {
  /** A rollout with a canary, in which the process dies at a write, and another one goes on. */
  async function runWithDeath(death?: NotifyWorldOptions['death']): Promise<NotifyWorld> {
    const world = new NotifyWorld(death === undefined ? {} : { death });
    worlds.push(world);
    await new FreshnessPolicies(world.stores.documents).put('default', { notify: 'now', canary: 1 });
    await world.stores.nodeChanges.follow('notify');
    await world.addNodes([A, B, C], { runMs: 2000 });
    await world.addNodes([D], { isConnected: false });
    for (const name of [A, B, D]) await world.commit(name, 'another');
    for (let turn = 0; turn < 26; turn += 1) {
      if (turn === 8) world.connect(D);
      // The engine looks for jobs of dead processes every half a minute.
      await world.pass(1, turn < 14 ? 1 : 7);
      if (!world.isAlive) await world.restart();
    }
    return world;
  }

  it('at any write notifies nobody twice, and forgets nobody', async () => {
    const { writes, runs } = await runWithDeath();
    expect(runs).toEqual({ [A]: 1, [B]: 1, [C]: 0, [D]: 1 });
    expect(writes).toBeGreaterThan(30);
    const wrong: unknown[] = [];
    for (let write = 1; write <= writes; write += 1) {
      for (const isDone of [false, true]) {
        const world = await runWithDeath({ write, isDone });
        const { due, later, parked, dead } = await world.notify.count(10);
        const open = await world.stores.jobs.listOpen('job');
        const end = JSON.stringify([world.runs, due + later + parked + dead, open]);
        if (end !== JSON.stringify([runs, 0, []])) wrong.push([write, isDone, end]);
        worlds.pop()?.close();
      }
    }
    expect(wrong).toEqual([]);
  });
});
