import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { switchEnvironment } from '../../../../shared/fleet/code/deploy.ts';
import { DEFAULT_RING, feed } from '../../../../shared/fleet/compiles/ring.ts';
import { loadPlan, planFanOut, planKey } from '../../../../shared/fleet/fan-out/fan-out-plan.ts';
import { readFanOutProgress } from '../../../../shared/fleet/fan-out/fan-out-progress.ts';
import { runChain } from '../../../../shared/fleet/fan-out/run-chain.ts';
import { settleEnvironment, startFanOut } from '../../../../shared/fleet/fan-out/settle-environment.ts';
import type { EmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import { revisionToken } from '../../../../shared/store/ports/environment-store.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { deployFolder, prepareFolder } from '../../../helpers/deploy-folder.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODES = Array.from({ length: 12 }, (_, index) => `n${String(index).padStart(2, '0')}.example.com`);
const COMMON = 'environments/production/data/common.yaml';
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  world.write({ [COMMON]: 'v: 1' });
  for (const certname of NODES) world.addScript(certname, { files: ['data/common.yaml'] });
  await world.deploy();
  for (const certname of NODES) {
    await world.stores.nodes.markSeen(certname, 'production', 1);
    await world.stores.nodes.want(certname, 'first catalog', 1, { asked: true });
    await world.stores.queue.send('express', [{ certname, generation: 1, reason: 'first catalog', at: 1 }]);
  }
  await world.runJobs();
});
afterEach(() => world.close());

/** Puts changed code in force, as a deploy does that dies before it invalidates anybody. */
async function switchOnly(text: string): Promise<void> {
  world.write({ [COMMON]: text });
  const killed = intercept(world.stores.environments, { settle: () => Promise.reject(new StoreUnavailable('killed')) });
  const silent = intercept(world.stores.fanOut, { send: () => Promise.reject(new StoreUnavailable('killed')) });
  const dying = { ...world.stores, environments: killed, fanOut: silent };
  await expect(deployFolder(dying, world.repo, 'production', 'test')).rejects.toThrow('killed');
}

const production = async () => {
  const record = await world.stores.environments.get('production');
  if (!record) throw new Error('nothing is deployed');
  return record;
};
const isSettled = async () => {
  const { settled, revision } = await production();
  return settled === revision;
};
const wantedOf = async () => {
  const records = await Promise.all(NODES.map((certname) => world.stores.nodes.get(certname)));
  return records.map((record) => record?.wanted);
};

/** Fails at the given call of any store, and at all later ones, like a process that is killed. */
function dieAt(call: number): { readonly stores: EmbeddedStores; readonly hasDied: () => boolean } {
  let calls = 0;
  const mortal = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (_, name) => {
        const method: unknown = Reflect.get(store, name, store);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls >= call) throw new StoreUnavailable('killed');
          return method.apply(store, args);
        };
      },
    });
  const { nodes, dependencies, blobs, environments, documents, queue, fanOut } = world.stores;
  const stores = {
    ...world.stores,
    nodes: mortal(nodes),
    dependencies: mortal(dependencies),
    blobs: mortal(blobs),
    environments: mortal(environments),
    documents: mortal(documents),
    queue: mortal(queue),
    fanOut: mortal(fanOut),
  };
  return { stores, hasDied: () => calls >= call };
}

describe('a fan-out', () => {
  it('invalidates each affected node once, settles the environment and leaves nothing', async () => {
    await switchOnly('v: 2');
    expect(await isSettled()).toBe(false);
    const invalidated = await settleEnvironment('production', world.stores);
    expect(invalidated).toEqual({ count: NODES.length, certnames: NODES, isSettled: true });
    expect(await isSettled()).toBe(true);
    expect(await wantedOf()).toEqual(NODES.map(() => 2));
    expect((await world.stores.blobs.list('fan-outs/')).entries).toEqual([]);
    expect(await world.stores.documents.list('fan-outs', '', 10)).toEqual([]);
    expect(await settleEnvironment('production', world.stores)).toEqual({ count: 0, certnames: [], isSettled: true });
  });

  it('counts the nodes as it invalidates them', async () => {
    const { stores } = world;
    const read = async () => readFanOutProgress(await production(), stores);
    expect(await read()).toBeNull();
    await switchOnly('v: 2');
    expect(await read()).toEqual({ nodes: 0, parts: 0, partsDone: 0 });
    const plan = await startFanOut('production', stores);
    const parts = plan?.chains ?? 0;
    expect(parts).toBeGreaterThan(1);
    const { revision } = plan ?? { revision: '' };
    let nodes = 0;
    for (let chain = 0; chain < parts; chain += 1) {
      expect(await read()).toEqual({ nodes, parts, partsDone: chain });
      const report = await runChain({ environment: 'production', revision, chain }, stores, () => false);
      nodes += report.invalidated.length;
    }
    expect([nodes, await read()]).toEqual([NODES.length, null]);
  });

  it('goes on where it was, killed before any call of a store, and invalidates no node twice', async () => {
    const { stores } = world;
    for (let call = 1, text = 2; ; text += 1) {
      await switchOnly(`v: ${text}`);
      const { stores: dying, hasDied } = dieAt(call);
      await settleEnvironment('production', dying).catch((error) => expect(error).toBeInstanceOf(StoreUnavailable));
      await stores.releaseInFlight();
      await settleEnvironment('production', stores);
      expect([call, await isSettled()]).toEqual([call, true]);
      expect([call, await wantedOf()]).toEqual([call, NODES.map(() => text)]);
      const reports = await world.runJobs();
      expect([call, reports.filter(({ outcome }) => outcome === 'compiled').length]).toEqual([call, NODES.length]);
      if (!hasDied()) break;
      call += call < 20 ? 3 : 29;
    }
  });

  it('is shared by several workers', async () => {
    await switchOnly('v: 2');
    const invalidated = await Promise.all([1, 2, 3].map(() => settleEnvironment('production', world.stores)));
    expect(await isSettled()).toBe(true);
    expect(new Set(invalidated.flatMap(({ certnames }) => certnames))).toEqual(new Set(NODES));
    expect(await wantedOf()).toEqual(NODES.map(() => 2));
  });

  it('is overtaken by the next deploy, which invalidates the nodes of both', async () => {
    await switchOnly('v: 2');
    const overtaken = revisionToken(await production());
    await startFanOut('production', world.stores);
    await switchOnly('v: 1');
    const chain = { environment: 'production', revision: overtaken, chain: 0 };
    expect(await runChain(chain, world.stores, () => false)).toEqual({ invalidated: [], isDone: true });
    expect((await settleEnvironment('production', world.stores)).certnames).toEqual(NODES);
    expect(await loadPlan(world.stores.blobs, 'production', overtaken)).toBeNull();
    expect(await isSettled()).toBe(true);
  });

  it('keeps the plan that was made first', async () => {
    await switchOnly('v: 2');
    const record = await production();
    const first = await planFanOut(record, world.stores);
    expect(first).toMatchObject({ revision: revisionToken(record), paths: [COMMON] });
    const none = intercept(world.stores.dependencies, { findSets: async () => [] });
    expect(await planFanOut(record, { ...world.stores, dependencies: none })).toEqual(first);
  });

  it('stops after a page when the time is over, and continues behind it', async () => {
    await switchOnly('v: 2');
    const plan = await startFanOut('production', world.stores);
    if (!plan) throw new Error('nothing to invalidate');
    const message = { environment: 'production', revision: plan.revision, chain: 0 };
    const ports = { ...world.stores, dependencies: intercept(world.stores.dependencies, threePages()) };
    const invalidated: (readonly string[])[] = [];
    for (let isDone = false; !isDone; ) {
      const report = await runChain(message, ports, () => true);
      invalidated.push(report.invalidated);
      isDone = report.isDone;
    }
    expect(invalidated).toEqual([NODES.slice(0, 4), NODES.slice(4, 8), NODES.slice(8)]);
    expect(await isSettled()).toBe(false);
  });

  it('is started by the feeder, and left to the fan-out function where there is one', async () => {
    await switchOnly('v: 2');
    const options = { ...DEFAULT_RING, worksOnFanOuts: false };
    expect((await feed(world.stores, options)).settled).toEqual([]);
    expect(await wantedOf()).toEqual(NODES.map(() => 1));
    expect((await world.stores.fanOut.receive(10)).length).toBeGreaterThan(0);
    await world.stores.releaseInFlight();
    expect((await feed(world.stores)).settled).toEqual(['production']);
    expect(await wantedOf()).toEqual(NODES.map(() => 2));
  });

  it('of an environment that was removed has nothing to do', async () => {
    await switchOnly('v: 2');
    await startFanOut('production', world.stores);
    await world.stores.environments.delete('production');
    expect(await settleEnvironment('production', world.stores)).toEqual({ count: 0, certnames: [], isSettled: true });
    for (const one of await world.stores.fanOut.receive(10)) {
      expect(await runChain(one.message, world.stores, () => false)).toEqual({ invalidated: [], isDone: true });
    }
  });

  /** A shard of 600 members, of which 12 are there; the others were purged. */
  function threePages(): Partial<EmbeddedStores['dependencies']> {
    const gone = Array.from({ length: 196 }, (_, index) => `gone${index}.example.com`);
    return {
      listMembers: async (_environment, _set, _shard, after) => {
        const page = Number(after ?? 0);
        const certnames = [...NODES.slice(4 * page, 4 * page + 4), ...gone];
        return { certnames, next: page < 2 ? String(page + 1) : null };
      },
    };
  }
});

describe('while a fan-out runs, the front door', () => {
  const [node = ''] = NODES;
  const compiled = () => world.compiler.compiled.length;

  it('verifies a node that is affected and not invalidated yet, before it answers', async () => {
    await switchOnly('v: 2');
    expect(catalogOf(await world.run(checkIn(node)))).toMatchObject({ 'data/common.yaml': 'v: 2' });
    expect(await world.stores.nodes.get(node)).toMatchObject({ wanted: 2, built: 2 });
    await settleEnvironment('production', world.stores);
    expect(await wantedOf()).toEqual(NODES.map(() => 2));
    expect((await world.runJobs()).length).toBe(NODES.length - 1);
  });

  it('verifies every node before there is a plan', async () => {
    world.write({ 'environments/production/data/other.yaml': 'x: 1' });
    await switchWithoutPlan();
    const before = compiled();
    expect((await world.run(checkIn(node))).status).toBe('current');
    expect(compiled()).toBe(before);
    expect(await world.stores.nodes.get(node)).toMatchObject({ verifications: 1 });
  });

  it('serves a node that is not affected from the store', async () => {
    world.write({ 'environments/production/data/other.yaml': 'x: 1' });
    await switchWithoutPlan();
    await planFanOut(await production(), world.stores);
    expect((await answerCheckIn(world.createService({ holdMs: 0 }), checkIn(node))).status).toBe('current');
    expect(await world.stores.nodes.get(node)).toMatchObject({ wanted: 1, built: 1, verifications: 0 });
  });

  it('takes another reason of a node that was invalidated, and whose compile has started', async () => {
    await switchOnly('v: 2');
    const { nodes, clock } = world.stores;
    const revision = revisionToken(await production());
    await nodes.want(node, 'environment production deployed', clock.now(), { asked: true, revision });
    await nodes.lease(node, clock.now(), clock.now() + 60_000, 'a');
    const request = checkIn(node, {}, { checksumType: 'md5' });
    await answerCheckIn(world.createService(), request, AbortSignal.abort());
    expect(await nodes.get(node)).toMatchObject({ wanted: 3, started: 2 });
  });

  it('serves a node that was verified in this revision from the store', async () => {
    await switchOnly('v: 2');
    await world.run(checkIn(node));
    const before = await world.stores.nodes.get(node);
    expect((await answerCheckIn(world.createService({ holdMs: 0 }), checkIn(node))).status).toBe('current');
    expect(await world.stores.nodes.get(node)).toEqual(before);
  });

  async function switchWithoutPlan(): Promise<void> {
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    expect(await switchEnvironment(world.stores, 'production', codeId, 'test')).toBe(true);
  }
});

describe('the plan of a deploy that lasts', () => {
  it('is written anew after a week, so that it does not expire', async () => {
    await switchOnly('v: 2');
    const written: string[] = [];
    const { blobs, clock, fanOut } = world.stores;
    const watched = intercept(blobs, {
      put: async (key: string, bytes: Uint8Array) => {
        written.push(key);
        await blobs.put(key, bytes);
      },
    });
    const later = (days: number) => intercept(clock, { now: () => Date.now() + days * 86_400_000 });
    const begin = (days: number) =>
      startFanOut('production', { ...world.stores, blobs: watched, clock: later(days), fanOut });
    const plan = await begin(0);
    await begin(6);
    expect(written.filter((key) => key.startsWith('fan-outs/'))).toHaveLength(0);
    await begin(8);
    expect(written).toEqual([`fan-outs/${planKey('production', plan?.revision ?? '')}`]);
    expect(await loadPlan(blobs, 'production', plan?.revision ?? '')).toEqual(plan);
  });
});
