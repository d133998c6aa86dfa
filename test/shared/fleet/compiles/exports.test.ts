import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { drainExportChanges } from '../../../../shared/fleet/compiles/invalidate-collectors.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { DEFAULT_RING, feed } from '../../../../shared/fleet/compiles/ring.ts';
import { workOff } from '../../../../shared/fleet/compiles/work-off.ts';
import { listNotedChanges } from '../../../../shared/fleet/nodes/noted-changes.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { AT_ONCE, CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const [EXPORTER, COLLECTOR, BYSTANDER] = ['a.example.com', 'b.example.com', 'c.example.com'] as const;
const host = (title: string, ip: string) => ({ type: 'Host', title, parameters: { ip } });

let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  world.addScript(EXPORTER, { exports: [host('web', '1')] });
  world.addScript(COLLECTOR, { collects: [{ type: 'Host', query: ['title', '==', 'web'] }] });
  world.addScript(BYSTANDER, { collects: [{ type: 'Host', query: ['title', '==', 'db'] }] });
  await world.deploy();
});
afterEach(() => world.close());

const collectedIp = async () => {
  const answer = await answerCheckIn(world.createService(), checkIn(COLLECTOR));
  return JSON.stringify(catalogOf(answer)).match(/"ip":"([^"]*)"/)?.[1] ?? null;
};
const runAll = async () => {
  for (const certname of [EXPORTER, COLLECTOR, BYSTANDER]) await world.run(checkIn(certname));
  await world.runJobs();
  world.compiler.compiled.length = 0;
};

describe('a changed export', () => {
  it('leads to a compile of those who collect it, and of nobody else', async () => {
    await runAll();
    expect(await collectedIp()).toBe('1');
    world.addScript(EXPORTER, { exports: [host('web', '2')] });
    expect((await world.deploy()).nodes).toEqual([EXPORTER]);
    await world.runJobs();
    expect(world.compiler.compiled).toEqual([EXPORTER, COLLECTOR]);
    expect(await collectedIp()).toBe('2');
    const node = await world.stores.nodes.get(COLLECTOR);
    expect(node?.reasons.at(-1)).toBe('export Host[web] of a.example.com changed');
  });

  it.each([
    ['appears', [host('web', '1'), host('db', '9')], [EXPORTER, BYSTANDER]],
    ['disappears', [], [EXPORTER, COLLECTOR]],
    ['changes its name', [host('db', '1')], [EXPORTER, COLLECTOR, BYSTANDER]],
    ['stays, while another one comes that nobody collects', [host('web', '1'), host('mail', '1')], [EXPORTER]],
  ])('that %s invalidates those who are touched', async (_, exports, compiled) => {
    await runAll();
    world.addScript(EXPORTER, { exports });
    await world.deploy();
    await world.runJobs();
    expect(world.compiler.compiled.sort()).toEqual([...compiled].sort());
  });

  it('is accepted when its collectors are invalidated: until then they get the former catalog as current', async () => {
    await runAll();
    world.addScript(EXPORTER, { exports: [host('web', '2')] });
    await world.deploy();
    const [received] = await world.stores.queue.receive(1, 0);
    if (!received) throw new Error('no job');
    await workOff(received, world.stores.queue, world.context);
    // The exporter's compile is committed; its change waits for more changes.
    expect(await collectedIp()).toBe('1');
    expect(await drainExportChanges(world.stores.changes, world.stores, { delayMs: 60_000, intervalMs: 0 })).toBe(0);
    expect(await collectedIp()).toBe('1');
    expect(await drainExportChanges(world.stores.changes, world.stores, AT_ONCE)).toBe(1);
    const [change] = await listNotedChanges(world.stores, 10);
    const touched = { certname: COLLECTOR, why: `export Host[web] of ${EXPORTER} changed` };
    expect(change).toMatchObject({ kind: 'exports', nodes: [touched] });
    const invalidated = await world.createService({ holdMs: 0 }).accept(checkIn(COLLECTOR));
    expect(invalidated.kind).toBe('held');
    await world.runJobs();
    expect(await collectedIp()).toBe('2');
  });

  it('is invalidated when it was written just before the process died', async () => {
    await runAll();
    world.addScript(EXPORTER, { exports: [host('web', '2')] });
    await world.deploy();
    const dying = intercept(world.stores.nodes, { commit: () => Promise.reject(new Error('killed')) });
    const [received] = await world.stores.queue.receive(1, 0);
    if (!received) throw new Error('no job');
    const context = { ...world.context, stores: { ...world.stores, nodes: dying } };
    await expect(processCompileJob(received.job, context)).rejects.toThrow('killed');
    await world.stores.releaseInFlight();
    await world.runJobs();
    expect(world.compiler.compiled.filter((certname) => certname === COLLECTOR)).toEqual([COLLECTOR]);
    expect(await collectedIp()).toBe('2');
  });

  it('that a dead compile wrote is replaced when its reason went away', async () => {
    await runAll();
    const before = await world.stores.nodes.get(EXPORTER);
    const { nodes } = world.stores;
    const wanted = await nodes.want(EXPORTER, 'x', 1, { asked: true });
    await world.stores.exports.replaceExports(EXPORTER, wanted?.wanted ?? 0, [
      { certname: EXPORTER, tags: [], ...host('web', 'of a compile that never committed') },
    ]);
    const job = { certname: EXPORTER, generation: wanted?.wanted ?? 0, reason: 'x', at: 0 };
    expect(await processCompileJob(job, world.context)).toMatchObject({
      outcome: 'compiled',
      reasons: ['the exports are of another compile'],
    });
    expect((await nodes.get(EXPORTER))?.catalog?.hash).toBe(before?.catalog?.hash);
    expect((await world.stores.exports.collect([{ type: 'Host', query: null }], ''))[0]?.parameters).toEqual({
      ip: '1',
    });
  });
});

describe('the race of an exporter and a new collector', () => {
  const newExport = [{ certname: EXPORTER, tags: [], ...host('web', 'new') }];

  beforeEach(async () => {
    await world.run(checkIn(EXPORTER));
    await world.runJobs();
  });

  it.each(['before', 'after'] as const)(
    'misses nothing when the export is written %s the collector reads',
    async (when) => {
      const { exports } = world.stores;
      let raced = false;
      const race = async () => {
        if (raced) return;
        raced = true;
        await exports.replaceExports(EXPORTER, 9, newExport);
        await drainExportChanges(world.stores.changes, world.stores, AT_ONCE);
      };
      const racing = intercept(exports, {
        collect: async (queries, except) => {
          if (when === 'before') await race();
          const found = await exports.collect(queries, except);
          if (when === 'after') await race();
          return found;
        },
      });
      const answer = answerCheckIn(world.createService(), checkIn(COLLECTOR));
      const [received] = await world.stores.queue.receive(1, 1000);
      if (!received) throw new Error('no job');
      await processCompileJob(received.job, { ...world.context, stores: { ...world.stores, exports: racing } });
      await world.stores.queue.acknowledge(received);
      await answer;
      expect(raced).toBe(true);
      const generation = (await world.stores.nodes.get(COLLECTOR))?.wanted;
      expect(generation).toBe(2);
      await world.runJobs();
      expect(await collectedIp()).toBe('new');
      expect(await world.stores.nodes.get(COLLECTOR)).toMatchObject({ built: 2 });
    },
  );
});

it('registers collectors again when a dead compile replaced them and the node is verified', async () => {
  await runAll();
  const { exports, nodes } = world.stores;
  const wanted = await nodes.want(COLLECTOR, 'x', 1, { asked: true });
  await exports.replaceCollectors(COLLECTOR, wanted?.wanted ?? 0, []);
  const job = { certname: COLLECTOR, generation: wanted?.wanted ?? 0, reason: 'x', at: 0 };
  expect((await processCompileJob(job, world.context)).outcome).toBe('verified');
  expect((await exports.listCollectors('Host', ['title=web'], null)).collectors).toContainEqual({
    certname: COLLECTOR,
    type: 'Host',
    query: ['title', '==', 'web'],
    environment: 'production',
  });
});

describe('a node that collects exports which change often', () => {
  const START = Date.UTC(2026, 10, 21);
  const timing = { delayMs: 15_000, intervalMs: 60_000 };
  let clock: ManualClock;

  beforeEach(async () => {
    world.close();
    clock = new ManualClock(START);
    world = new CompileWorld(clock);
    world.addScript(COLLECTOR, { collects: [{ type: 'Host', query: null }] });
    await world.deploy();
    await ask();
    expect(await work()).toEqual(['compiled']);
    clock.time = START;
  });

  /** An agent asks, and does not wait. */
  const ask = () => answerCheckIn(world.createService(), checkIn(COLLECTOR), AbortSignal.abort());
  const change = async (ip: string) => {
    await world.stores.exports.replaceExports(EXPORTER, Number(ip), [
      { certname: EXPORTER, tags: [], ...host('web', ip) },
    ]);
    clock.time += timing.delayMs;
    await drainExportChanges(world.stores.changes, world.stores, timing);
  };
  const work = async () => {
    const reports: string[] = [];
    for (;;) {
      const [received] = await world.stores.queue.receive(1, 0);
      if (!received) return reports;
      reports.push((await workOff(received, world.stores.queue, { ...world.context, timing })).outcome);
    }
  };

  it('is compiled for them once an interval, with one job', async () => {
    for (const ip of ['1', '2', '3']) {
      await change(ip);
      expect(await work()).toEqual([]);
      expect((await world.stores.queue.getDepth()).express.visible).toBe(1);
    }
    clock.time = START + timing.intervalMs;
    expect(await work()).toEqual(['compiled']);
    expect(await collectedIp()).toBe('3');
    expect(await world.stores.nodes.get(COLLECTOR)).toMatchObject({ wanted: 2, built: 2 });
  });

  it('is compiled at once for itself', async () => {
    await change('1');
    const accepted = await world.createService().accept(checkIn(COLLECTOR));
    expect(accepted.kind).toBe('held');
    expect(await work()).toEqual(['compiled']);
    expect(await collectedIp()).toBe('1');
    clock.time = START + timing.intervalMs;
    expect(await work()).not.toContain('compiled');
  });

  it('is compiled at once when something else changed, too', async () => {
    await change('1');
    world.addScript(COLLECTOR, { collects: [{ type: 'Host', query: null }], facts: [['x']] });
    await world.deploy();
    expect(await work()).toEqual(['compiled']);
  });

  it('has its job put off by a worker that receives it too early, and loses nothing', async () => {
    await world.stores.exports.replaceExports(EXPORTER, 1, [{ certname: EXPORTER, tags: [], ...host('web', '1') }]);
    await world.stores.nodes.want(COLLECTOR, 'x', clock.now(), { asked: true });
    await world.stores.queue.send('express', [{ certname: COLLECTOR, generation: 2, reason: 'x', at: clock.now() }]);
    expect(await work()).toEqual(['superseded']);
    expect((await world.stores.queue.getDepth()).express).toMatchObject({ visible: 1, inFlight: 0 });
    clock.time = START + timing.intervalMs - 1;
    expect(await work()).toEqual([]);
    clock.time += 1;
    expect(await work()).toEqual(['compiled']);
    expect(await collectedIp()).toBe('1');
  });

  it('has another job from the feeder when its job was put off again and again', async () => {
    await change('1');
    const [received] = await world.stores.queue.receive(1, 0);
    expect(received).toBeUndefined();
    clock.time = START + timing.intervalMs - 1;
    const job = { certname: COLLECTOR, generation: 2, reason: 'x', at: clock.now() };
    await world.stores.queue.send('waiting', [job]);
    const [early] = await world.stores.queue.receive(1, 0);
    if (!early) throw new Error('no job');
    const context = { ...world.context, timing };
    expect((await workOff({ ...early, receiveCount: 4 }, world.stores.queue, context)).outcome).toBe('superseded');
    expect((await world.stores.queue.getDepth()).express).toMatchObject({ visible: 0, inFlight: 0 });
    clock.time += 1;
    await feed(world.stores, { ...DEFAULT_RING, restMs: Number.POSITIVE_INFINITY });
    expect(await work()).toEqual(['compiled']);
  });

  it('is compiled at once when its agent asks while its job is put off', async () => {
    await world.stores.exports.replaceExports(EXPORTER, 1, [{ certname: EXPORTER, tags: [], ...host('web', '1') }]);
    await world.stores.nodes.want(COLLECTOR, 'x', clock.now(), { asked: true });
    await world.stores.queue.send('express', [{ certname: COLLECTOR, generation: 2, reason: 'x', at: clock.now() }]);
    const [early] = await world.stores.queue.receive(1, 0);
    if (!early) throw new Error('no job');
    const { nodes } = world.stores;
    let accepted = 0;
    const racing = intercept(nodes, {
      ask: async (...given) => {
        clock.time += 1;
        await world.createService().accept(checkIn(COLLECTOR));
        accepted += 1;
        return nodes.ask(...given);
      },
    });
    const context = { ...world.context, timing, stores: { ...world.stores, nodes: racing } };
    expect((await workOff(early, world.stores.queue, context)).deferred).toBeDefined();
    expect(accepted).toBe(1);
    expect(await work()).toEqual(['compiled']);
  });

  it('is compiled once more when an export changes during its compile, but not at once', async () => {
    await change('1');
    clock.time = START + timing.intervalMs;
    const { exports, nodes } = world.stores;
    const racing = intercept(nodes, {
      commit: async (commit) => {
        await change('2');
        return nodes.commit(commit);
      },
    });
    const [received] = await world.stores.queue.receive(1, 0);
    if (!received) throw new Error('no job');
    const context = { ...world.context, timing, stores: { ...world.stores, nodes: racing } };
    expect((await workOff(received, world.stores.queue, context)).deferred?.until).toBe(
      clock.now() + timing.intervalMs - timing.delayMs,
    );
    expect(await work()).toEqual([]);
    clock.time += timing.intervalMs;
    expect(await work()).toEqual(['compiled']);
    expect(await collectedIp()).toBe('2');
    expect(await exports.collect([{ type: 'Host', query: null }], '')).toHaveLength(1);
  });

  it('is not invalidated by the policy ring; the verification of the ring finds the change', async () => {
    await new FreshnessPolicies(world.stores.documents).put('environments/production', { exports: 'ring' });
    await change('1');
    clock.time = START + timing.intervalMs;
    expect(await work()).toEqual([]);
    expect(await world.stores.nodes.get(COLLECTOR)).toMatchObject({ wanted: 1, built: 1 });
    await world.stores.queue.send('background', [
      { certname: COLLECTOR, generation: 2, reason: 'ring', at: clock.now() },
    ]);
    expect(await work()).toEqual(['compiled']);
    expect((await world.stores.nodes.get(COLLECTOR))?.reasons.at(-1)).toBe('ring: collected exports changed');
  });
});
