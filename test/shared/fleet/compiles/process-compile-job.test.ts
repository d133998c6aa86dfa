import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompileJobReport } from '../../../../shared/fleet/compiles/compile-job-report.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { DEFAULT_RING, feed } from '../../../../shared/fleet/compiles/ring.ts';
import { limitCompile } from '../../../../shared/fleet/compiles/time-limit.ts';
import { workOff } from '../../../../shared/fleet/compiles/work-off.ts';
import type { WorkerContext } from '../../../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../../../shared/fleet/dependencies/dependency-cache.ts';
import { factsBlobOf, storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { EnvironmentRuby } from '../../../../shared/puppet/ruby/environment-ruby.ts';
import type { CompileJob } from '../../../../shared/store/ports/compile-queue.ts';
import { CompileWorld, catalogOf, checkIn, hashOf } from '../../../helpers/compile-world.ts';
import { fakeRuby } from '../../../helpers/fake-ruby.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODE = 'web.example.com';
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  world.addScript(NODE, { facts: [['os', 'family']], files: ['data/common.yaml', `data/${NODE}.yaml`] });
  world.write({ 'environments/production/data/common.yaml': 'a: 1' });
  await world.deploy();
});
afterEach(() => world.close());

const record = async (certname = NODE) => {
  const node = await world.stores.nodes.get(certname);
  if (!node) throw new Error(`no node ${certname}`);
  return node;
};
const ringJob = async (): Promise<CompileJob> => {
  const { wanted } = await record();
  return { certname: NODE, generation: wanted + 1, reason: 'ring', at: 0 };
};
/** The context of a worker that has nothing in memory. */
const newContext = (): WorkerContext => ({
  ...world.context,
  dependencies: new DependencyCache(world.stores.blobs),
});
const loseDependencies = async () => {
  await world.stores.blobs.delete(`dependencies/${(await record()).inputs?.dependencies?.set}`);
  return newContext();
};
const facts = { os: { family: 'Debian', release: '12' }, uptime: 5 };

describe('a first catalog', () => {
  it('is compiled, committed and recorded with its inputs', async () => {
    const answer = await world.run(checkIn(NODE, facts));
    expect(catalogOf(answer)).toMatchObject({
      name: NODE,
      'fact os.family': 'Debian',
      'data/common.yaml': 'a: 1',
      [`data/${NODE}.yaml`]: null,
      catalog_format: 2,
      code_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      catalog_uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      version: expect.any(Number),
    });
    const node = await record();
    expect(node).toMatchObject({ wanted: 1, built: 1, compiles: 1, verifications: 0, reasons: ['first catalog'] });
    expect(Object.keys(node.inputs?.facts ?? {})).toEqual(['["os","family"]']);
    expect(node.inputs).toMatchObject({ environment: 'production', trusted: {}, collectors: [], volatile: [] });
  });

  it.each([
    ['192.0.2.7', [['serverip', '192.0.2.7']]],
    [null, []],
  ])('is compiled with the server facts of the worker, without an address that is not known: %j', async (ip, facts) => {
    await world.run(checkIn(NODE, {}));
    const seen: unknown[] = [];
    const { server, compile } = world.context;
    const recording: WorkerContext['compile'] = (request) => {
      seen.push([...(request.node.serverFacts?.entries() ?? [])]);
      return compile(request);
    };
    const context = { ...world.context, compile: recording, server: { ...server, ip, release: 'next' } };
    await processCompileJob(await ringJob(), context);
    const others = [
      ['serverversion', '8.28.1'],
      ['serverimplementation', 'openvox'],
      ['environment', 'production'],
    ];
    expect(seen).toEqual([[['servername', 'puppet'], ...facts, ...others]]);
  });

  it('is reported with what native code failed at', async () => {
    await world.run(checkIn(NODE, facts));
    const context = await loseDependencies();
    const nativeDefects = ['/code/a.erb: TypeError: x is not a function'];
    const ruby = new EnvironmentRuby({ ...fakeRuby({}), takeNativeDefects: () => nativeDefects });
    const report = await processCompileJob(await ringJob(), { ...context, ruby });
    expect(report).toMatchObject({ outcome: 'compiled', nativeDefects });
  });

  it('is compiled again when the record of what it read is lost', async () => {
    await world.run(checkIn(NODE, facts));
    const context = await loseDependencies();
    expect(await processCompileJob(await ringJob(), context)).toMatchObject({
      outcome: 'compiled',
      reasons: ['the dependency set is lost'],
    });
    expect(await processCompileJob(await ringJob(), newContext())).toMatchObject({ outcome: 'verified' });
  });

  it('that exports more than a store takes fails, and so does one with a very long error', async () => {
    const parameters = { content: 'x'.repeat(300_000) };
    world.addScript(NODE, { exports: [{ type: 'File', title: '/big', parameters }] });
    await world.deploy();
    expect(await world.run(checkIn(NODE, facts))).toEqual({
      status: 'failed',
      message: expect.stringMatching(
        /^The exported resource File\[\/big\] has 300\d{3} bytes; at most 300000 can be exported on node web.example.com$/,
      ),
    });
    expect(await world.stores.exports.collect([{ type: 'File', query: null }], '')).toEqual([]);
    world.addScript(NODE, { fail: 'x'.repeat(500_000) });
    await world.deploy();
    await world.runJobs();
    expect((await record()).failure?.message).toBe(`${'x'.repeat(50_000)}... on node web.example.com`);
  });

  it('of a node whose environment is gone fails as Puppet does, and heals with a deploy', async () => {
    world.addScript(NODE, {}, 'staging');
    await world.deploy('staging');
    await world.stores.nodes.markSeen(NODE, 'staging', 1);
    await world.stores.environments.delete('staging');
    const wanted = await world.stores.nodes.want(NODE, 'test', 1, { asked: true });
    const job = { certname: NODE, generation: wanted?.wanted ?? 0, reason: 'test', at: 1 };
    expect(await processCompileJob(job, world.context)).toMatchObject({ outcome: 'failed', codeId: null });
    expect((await record()).failure?.message).toBe(
      "Could not find environment 'staging': it is not deployed on this server on node web.example.com",
    );
    expect((await world.deploy('staging')).nodes).toEqual([NODE]);
    expect(await world.runJobs()).toMatchObject([{ outcome: 'compiled' }]);
    expect((await record()).failure).toBeNull();
  });
});

describe('a job', () => {
  beforeEach(async () => {
    await world.run(checkIn(NODE, facts));
    world.compiler.compiled.length = 0;
  });

  it('is dropped when its generation is built', async () => {
    const before = await record();
    const report = await processCompileJob({ certname: NODE, generation: 1, reason: 'again', at: 0 }, world.context);
    expect(report.outcome).toBe('dropped');
    expect(await record()).toEqual(before);
  });

  it('is dropped for a node that is not there, or that nothing was ever wanted of', async () => {
    expect(
      await processCompileJob({ certname: 'nobody', generation: 1, reason: 'x', at: 0 }, world.context),
    ).toMatchObject({
      certname: 'nobody',
      outcome: 'dropped',
    });
    await world.stores.nodes.markSeen('new.example.com', 'production', 1);
    const early = { certname: 'new.example.com', generation: 1, reason: 'ring', at: 0 };
    expect(await processCompileJob(early, world.context)).toMatchObject({ outcome: 'dropped' });
  });

  it('verifies instead of compiling when no input changed', async () => {
    await world.stores.nodes.want(NODE, 'a rumour', 1, { asked: true });
    const report = await processCompileJob({ certname: NODE, generation: 2, reason: 'a rumour', at: 0 }, world.context);
    expect(report).toMatchObject({ outcome: 'verified', durationMs: 0, changed: false });
    expect(await record()).toMatchObject({ wanted: 2, built: 2, compiles: 1, verifications: 1 });
    expect(world.compiler.compiled).toEqual([]);
  });

  it('compiles once for all reasons that there are', async () => {
    world.write({ 'environments/production/data/common.yaml': 'a: 2' });
    for (const reason of ['one', 'two']) await world.stores.nodes.want(NODE, reason, 1, { asked: true });
    await world.deploy();
    const reasons = ['first catalog', 'one', 'two', 'environment production deployed'];
    expect(await record()).toMatchObject({ wanted: 2, reasons });
    const outcomes = [];
    for (const generation of [2, 1, 2, 2]) {
      outcomes.push(
        (await processCompileJob({ certname: NODE, generation, reason: 'x', at: 0 }, world.context)).outcome,
      );
    }
    expect(outcomes).toEqual(['compiled', 'dropped', 'dropped', 'dropped']);
    expect(await record()).toMatchObject({ built: 2, compiles: 2 });
  });

  it.each([
    ['alone', true],
    ['upgrade', false],
  ] as const)(
    'that lost its priority is left to the feeder, unless there is another one: %s',
    async (waiting, isSent) => {
      const { nodes, queue } = world.stores;
      await nodes.want(NODE, 'fact x changed', 5, { asked: true, waiting: true });
      await queue.send('waiting', [{ certname: NODE, generation: 2, reason: 'fact x changed', at: 5 }]);
      const [received] = await queue.receive(1, 0);
      if (!received) throw new Error('no job');
      await nodes.demote(NODE, 2);
      // As a queue has it that cannot move jobs.
      const claimed = { ...received, job: { ...received.job, waiting } };
      expect(await workOff(claimed, queue, world.context)).toMatchObject({ outcome: 'superseded' });
      expect(await queue.receive(10, 0)).toEqual([]);
      const lostAfterMs = world.stores.clock.now() - 5;
      // The other job is in no table here.
      await feed(world.stores, { ...DEFAULT_RING, lostAfterMs, unsentAfterMs: lostAfterMs });
      const job = { certname: NODE, generation: 2, reason: 'fact x changed' };
      expect(await queue.receive(10, 0)).toMatchObject(isSent ? [{ queue: 'express', job }] : []);
    },
  );

  it('ends the lease of its worker that died after the commit, so that the next reason is served at once', async () => {
    const { nodes, queue, clock } = world.stores;
    await nodes.want(NODE, 'fact x changed', 5, { asked: true });
    await queue.send('express', [{ certname: NODE, generation: 2, reason: 'fact x changed', at: 5 }]);
    const [received] = await queue.receive(1, 0);
    if (!received) throw new Error('no job');
    await nodes.lease(NODE, clock.now(), clock.now() + 600_000, received.id);
    await nodes.markVerified(NODE, 2, clock.now());
    await queue.retryAfter(received, 0);
    const [again] = await queue.receive(1, 0);
    if (!again) throw new Error('no job');
    expect(await workOff(again, queue, world.context)).toMatchObject({ outcome: 'dropped' });
    expect(await nodes.want(NODE, 'fact y changed', clock.now(), { asked: true })).toMatchObject({ isJobDue: true });
  });

  it('of an earlier generation compiles what its worker left when it died after a commit', async () => {
    const { nodes } = world.stores;
    const now = world.stores.clock.now();
    await nodes.want(NODE, 'first', 1, { asked: true });
    await nodes.lease(NODE, now - 100, now - 1, 'of the dead');
    await nodes.want(NODE, 'second', now - 50, { asked: true });
    await nodes.markVerified(NODE, 2, 1);
    expect(await record()).toMatchObject({ wanted: 3, built: 2 });
    const left = { certname: NODE, generation: 2, reason: 'first', at: 1 };
    expect((await processCompileJob(left, world.context)).outcome).toBe('verified');
    expect(await record()).toMatchObject({ wanted: 3, built: 3 });
  });

  it('keeps the catalog and its bytes when another compile makes the same', async () => {
    const before = await record();
    const bytes = await world.stores.blobs.get(`catalogs/${before.catalog?.hash}`);
    world.addScript(NODE, { facts: [['os', 'family']], files: ['data/common.yaml', `data/${NODE}.yaml`], exports: [] });
    await world.deploy();
    expect(await world.runJobs()).toMatchObject([{ outcome: 'compiled', changed: false }]);
    const after = await record();
    expect(after.catalog?.hash).toBe(before.catalog?.hash);
    expect(await world.stores.blobs.get(`catalogs/${after.catalog?.hash}`)).toEqual(bytes);
  });

  it.each([
    ['cut short', (bytes: Uint8Array) => bytes.subarray(0, -4)],
    ['changed', (bytes: Uint8Array) => gzipSync(gunzipSync(bytes).toString('utf8').replace('Debian', 'Debiam'))],
    ['changed in one byte', (bytes: Uint8Array) => bytes.with(-100, (bytes.at(-100) ?? 0) ^ 1)],
    ['empty', () => new Uint8Array()],
  ])('compiles again when the catalog is damaged: %s', async (_, damage) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { catalog } = await record();
    const key = `catalogs/${catalog?.hash}`;
    const whole = (await world.stores.blobs.get(key)) ?? new Uint8Array();
    await world.stores.blobs.put(key, damage(whole));
    const answer = await world.run(checkIn(NODE, facts));
    expect(catalogOf(answer)).toEqual({
      ...JSON.parse(gunzipSync(whole).toString('utf8')),
      version: expect.any(Number),
    });
    expect(await record()).toMatchObject({ compiles: 2, reasons: ['first catalog', 'the catalog is lost'] });
    expect((await world.run(checkIn(NODE, facts))).status).toBe('current');
    expect(await record()).toMatchObject({ compiles: 2 });
    expect(warn.mock.calls[0]).toEqual([
      `Blob ${key} is damaged and counts as missing: its content does not have the digest in its name`,
    ]);
    warn.mockRestore();
  });

  it('compiles again when the catalog is lost', async () => {
    const { catalog } = await record();
    await world.stores.blobs.delete(`catalogs/${catalog?.hash}`);
    expect((await world.run(checkIn(NODE, facts))).status).toBe('current');
    expect(await record()).toMatchObject({ compiles: 2, reasons: ['first catalog', 'the catalog is lost'] });
  });
});

describe('two workers', () => {
  const second = { certname: NODE, generation: 2, reason: 'second', at: 0 };

  beforeEach(async () => {
    await world.stores.nodes.markSeen(NODE, 'production', 1);
    await world.stores.nodes.want(NODE, 'first', 1, { asked: true });
  });

  /** The job of generation 1 by a worker whose compile is interrupted by `meanwhile`. */
  const interrupted = async (meanwhile: () => Promise<unknown>) => {
    const { dependencies } = world.stores;
    let done = false;
    const racing = intercept(dependencies, {
      register: async (registration) => {
        if (!done) {
          done = true;
          await meanwhile();
        }
        return dependencies.register(registration);
      },
    });
    const told: string[] = [];
    const context = { ...world.context, stores: { ...world.stores, dependencies: racing } };
    const first = { ...second, generation: 1 };
    await processCompileJob(first, context, ({ outcome }) => told.push(outcome));
    return told;
  };

  it('do not compile a node at the same time: who is at it takes the new reason along', async () => {
    let other: CompileJobReport | undefined;
    const before = world.stores.clock.now();
    const told = await interrupted(async () => {
      await world.stores.nodes.want(NODE, 'second', 1, { asked: true });
      other = await processCompileJob(second, world.context);
    });
    expect({ told, other: other?.outcome }).toEqual({ told: ['compiled', 'verified'], other: 'superseded' });
    // Whoever is at it may die: the other job comes again by then.
    expect(other?.heldUntil).toBeGreaterThanOrEqual(before + world.context.limitMs);
    expect(await record()).toMatchObject({ wanted: 2, built: 2, compiles: 1 });
    expect((await processCompileJob(second, world.context)).outcome).toBe('dropped');
  });

  it('compile after each other when the first one takes too long; it does not write over the second', async () => {
    let other: string | undefined;
    const { stores } = world;
    const later = { ...stores.clock, now: () => stores.clock.now() + 2 * world.context.limitMs };
    const told = await interrupted(async () => {
      world.write({ 'environments/production/data/common.yaml': 'a: 2' });
      await world.deploy();
      await stores.nodes.want(NODE, 'second', 1, { asked: true });
      other = (await processCompileJob(second, { ...world.context, stores: { ...stores, clock: later } })).outcome;
    });
    expect({ told, other }).toEqual({ told: ['superseded'], other: 'compiled' });
    expect(await record()).toMatchObject({ wanted: 2, built: 2, compiles: 1 });
  });
});

describe('a job of the ring', () => {
  it('verifies, and raises nothing', async () => {
    await world.run(checkIn(NODE, facts));
    expect((await processCompileJob(await ringJob(), world.context)).outcome).toBe('verified');
    expect(await record()).toMatchObject({ wanted: 1, built: 1, compiles: 1, verifications: 1 });
  });

  it('reads facts only when others are stored than it was compiled or verified with', async () => {
    await world.run(checkIn(NODE, facts));
    const { stores } = world;
    const read: string[] = [];
    const blobs = intercept(stores.blobs, {
      get: async (key) => {
        read.push(key);
        return stores.blobs.get(key);
      },
    });
    const context = { ...world.context, stores: { ...stores, blobs } };
    const lap = async () => {
      read.length = 0;
      expect((await processCompileJob(await ringJob(), context)).outcome).toBe('verified');
      return read;
    };
    expect(await lap()).toEqual([]);
    const said = { facts: hashOf({ os: { family: 'Debian' }, uptime: 6 }), trusted: hashOf({ certname: NODE }) };
    await stores.nodes.factsStored(NODE, await storeFacts(stores.blobs, said, 9));
    expect(await lap()).toEqual([factsBlobOf(await record())]);
    expect(await lap()).toEqual([]);
    const other = { ...said, facts: hashOf({ os: { family: 'RedHat' } }) };
    await stores.nodes.factsStored(NODE, await storeFacts(stores.blobs, other, 10));
    expect((await processCompileJob(await ringJob(), context)).reasons).toEqual(['fact os.family changed']);
  });

  it('looks for one stored output at a time, in turns', async () => {
    await world.run(checkIn(NODE, facts));
    const { catalog } = await record();
    await world.stores.blobs.delete(`catalogs/${catalog?.hash}`);
    const laps = [];
    for (let lap = 0; lap < 2; lap += 1) laps.push((await processCompileJob(await ringJob(), world.context)).reasons);
    expect(laps).toContainEqual(['the catalog is lost']);
  });

  it('takes a record of the environment that may be old, and the newest one before it compiles', async () => {
    await world.run(checkIn(NODE, facts));
    const old = await world.stores.environments.get('production');
    const context = { ...world.context, recentEnvironments: { get: async () => old } };
    world.write({ 'environments/production/data/common.yaml': 'a: 2' });
    await world.deploy();
    await world.runJobs();
    expect(await record()).toMatchObject({ compiles: 2, built: 2 });
    // The old code differs from what the node was compiled with.
    expect((await processCompileJob(await ringJob(), context)).outcome).toBe('verified');
    expect(await record()).toMatchObject({ compiles: 2, verifications: 1 });
  });

  it('compiles a volatile catalog that has rested', async () => {
    world.addScript(NODE, { volatile: 'time' });
    await world.deploy();
    await world.run(checkIn(NODE, facts));
    const compiledAt = (await record()).catalog?.compiledAt ?? 0;
    const early = { ...(await ringJob()), volatileBefore: compiledAt };
    expect(await processCompileJob(early, world.context)).toMatchObject({ outcome: 'verified' });
    const job = { ...(await ringJob()), volatileBefore: compiledAt + 1 };
    const report = await processCompileJob(job, world.context);
    expect(report).toMatchObject({ outcome: 'compiled', reasons: ['volatile function time'], changed: false });
    expect((await processCompileJob(job, world.context)).outcome).toBe('dropped');
    expect(await record()).toMatchObject({ wanted: 2, built: 2, compiles: 2 });
  });

  it('compiles when the compiler is another one', async () => {
    await world.run(checkIn(NODE, facts));
    const context = { ...world.context, server: { ...world.context.server, release: 'next' } };
    expect(await processCompileJob(await ringJob(), context)).toMatchObject({
      outcome: 'compiled',
      reasons: ['another compiler'],
    });
  });

  it('leaves the work to a newer reason', async () => {
    await world.run(checkIn(NODE, facts));
    const context = { ...world.context, server: { ...world.context.server, release: 'next' } };
    const job = await ringJob();
    const { nodes } = world.stores;
    const racing = intercept(nodes, {
      want: async (...args) => {
        await nodes.want(NODE, 'faster', 1, { asked: true });
        return nodes.want(...args);
      },
    });
    expect((await processCompileJob(job, { ...context, stores: { ...world.stores, nodes: racing } })).outcome).toBe(
      'superseded',
    );
    expect(await record()).toMatchObject({ wanted: 2, built: 1, compiles: 1 });
  });
});

describe('a failure', () => {
  it('is a result with inputs, is not tried again by itself, and heals when an input changes', async () => {
    world.addScript(NODE, { fail: 'Error while evaluating', files: ['data/common.yaml'] });
    await world.deploy();
    const message = 'Error while evaluating (file: x.pp, line: 1) on node web.example.com';
    expect(await world.run(checkIn(NODE, facts))).toEqual({ status: 'failed', message });
    expect(await world.run(checkIn(NODE, facts))).toEqual({ status: 'failed', message });
    expect((await processCompileJob(await ringJob(), world.context)).outcome).toBe('verified');
    expect(world.compiler.compiled).toEqual([NODE]);
    world.addScript(NODE, {});
    expect((await world.deploy()).nodes).toEqual([NODE]);
    expect((await world.run(checkIn(NODE, facts))).status).toBe('current');
  });

  it('leaves the last good catalog and its exports', async () => {
    world.addScript(NODE, { exports: [{ type: 'Host', title: 'web', parameters: { ip: '1' } }] });
    await world.deploy();
    await world.run(checkIn(NODE, facts));
    const good = (await record()).catalog;
    world.addScript(NODE, { fail: 'broken' });
    await world.deploy();
    await world.runJobs();
    expect(await record()).toMatchObject({
      catalog: good,
      failure: { message: 'broken (file: x.pp, line: 1) on node web.example.com' },
    });
    expect(await world.stores.exports.collect([{ type: 'Host', query: null }], '')).toHaveLength(1);
  });

  it('of the compiler itself is one too', async () => {
    const context = {
      ...world.context,
      compile: () => {
        throw new TypeError('x is undefined');
      },
    };
    await world.stores.nodes.markSeen(NODE, 'production', 1);
    await world.stores.nodes.want(NODE, 'x', 1, { asked: true });
    const report = await processCompileJob({ certname: NODE, generation: 1, reason: 'x', at: 0 }, context);
    expect(report).toMatchObject({
      outcome: 'failed',
      log: [{ level: 'crit', message: expect.stringContaining('TypeError') }],
    });
    expect((await record()).failure?.message).toBe(
      'Internal error of the compiler: x is undefined on node web.example.com',
    );
  });

  it('of code that never ends is one too', async () => {
    const limitMs = 400;
    const context: WorkerContext = {
      ...world.context,
      limitMs,
      compile: limitCompile(() => {
        for (;;);
      }, limitMs),
    };
    await world.stores.nodes.markSeen(NODE, 'production', 1);
    await world.stores.nodes.want(NODE, 'x', 1, { asked: true });
    const report = await processCompileJob({ certname: NODE, generation: 1, reason: 'x', at: 0 }, context);
    expect(report.outcome).toBe('failed');
    const { failure, built } = await record();
    expect({ message: failure?.message, built }).toEqual({
      message: `The compile was stopped: it took more than ${limitMs / 2} milliseconds on node ${NODE}`,
      built: 1,
    });
  });

  it('of environment.conf names it', async () => {
    world.write({ 'environments/production/environment.conf': 'modulepath\n[' });
    await world.deploy();
    const answer = await world.run(checkIn(NODE, facts));
    expect(answer).toMatchObject({ status: 'failed', message: expect.stringContaining('environment.conf') });
    world.write({ 'environments/production/environment.conf': 'modulepath = modules' });
    expect((await world.deploy()).nodes).toEqual([NODE]);
    expect((await world.run(checkIn(NODE, facts))).status).toBe('current');
  });
});

describe('content that is not in memory', () => {
  it('is fetched, and the compile starts again', async () => {
    world.addScript(NODE, { files: ['modules/m/files/one.bin', 'modules/m/files/two.bin'] });
    world.write({
      'environments/production/modules/m/files/one.bin': 'one',
      'environments/production/modules/m/files/two.bin': 'two',
    });
    await world.deploy();
    const catalog = catalogOf(await world.run(checkIn(NODE, facts)));
    expect([catalog['modules/m/files/one.bin'], catalog['modules/m/files/two.bin']]).toEqual(['one', 'two']);
    expect((await record()).compiles).toBe(1);
  });
});
