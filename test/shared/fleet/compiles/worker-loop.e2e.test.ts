import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QUEUES } from '../../../../shared/config/deployment.ts';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { listOpenQueues } from '../../../../shared/fleet/compiles/load-gate.ts';
import { type LoopObserver, type LoopPorts, runWorker } from '../../../../shared/fleet/compiles/worker-loop.ts';
import type { ExportChangeFeed } from '../../../../shared/store/ports/export-store.ts';
import { StoreRefused, StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODE = 'web.example.com';
let world: CompileWorld;
let stop: AbortController;
let told: string[];
beforeEach(async () => {
  world = new CompileWorld();
  stop = new AbortController();
  told = [];
  world.addScript(NODE, { facts: [['x']] });
  await world.deploy();
});
afterEach(() => world.close());

const observer: LoopObserver = {
  onStart: () => undefined,
  onReport: ({ certname, outcome }) => told.push(`${certname} ${outcome}`),
  onFault: (error, received) =>
    told.push(`${received?.job.certname ?? 'loop'}: ${error instanceof Error ? error.message : error}`),
};
const run = (changed: Partial<LoopPorts> = {}) => {
  const { stores, context } = world;
  return runWorker(
    {
      context,
      queue: stores.queue,
      documents: stores.documents,
      changes: stores.changes,
      invalidate: stores,
      ...changed,
    },
    observer,
    stop.signal,
  );
};

it('works until it is told to stop', async () => {
  const loop = run();
  expect((await answerCheckIn(world.createService(), checkIn(NODE))).status).toBe('current');
  expect((await answerCheckIn(world.createService(), checkIn(NODE, { x: 1 }))).status).toBe('current');
  stop.abort();
  await loop;
  expect(told).toEqual([`${NODE} compiled`, `${NODE} compiled`]);
  expect((await world.stores.queue.getDepth()).express).toMatchObject({ visible: 0, inFlight: 0 });
});

it('waits for longer where a doorbell wakes it, once it had nothing to do', async () => {
  const waits = async (isHeard: boolean) => {
    const seen: number[] = [];
    stop = new AbortController();
    const receive: typeof world.stores.queue.receive = async (_most, waitMs) => {
      if (waitMs > 0) seen.push(waitMs);
      if (seen.length === 3) stop.abort();
      return [];
    };
    const queue: typeof world.stores.queue = Object.assign(Object.create(world.stores.queue), { receive });
    await run({ queue, doorbell: { isHeard } });
    return seen;
  };
  expect(await waits(true)).toEqual([1000, 5000, 5000]);
  expect(await waits(false)).toEqual([1000, 1000, 1000]);
});

it('starts jobs that a node waits for, and no others, while the load is high', async () => {
  const { queue, nodes } = world.stores;
  let load = 4.1;
  const other = 'db.example.com';
  world.addScript(other, {});
  await nodes.markSeen(other, 'production', 1);
  await nodes.want(other, 'deployed', 1, { asked: true });
  await queue.send('express', [{ certname: other, generation: 1, reason: 'deployed', at: 1 }]);
  const loop = run({ listQueues: () => listOpenQueues({ maxLoad: 4, readLoad: () => load }) });
  expect((await answerCheckIn(world.createService(), checkIn(NODE))).status).toBe('current');
  expect(told).toEqual([`${NODE} compiled`]);
  expect((await queue.getDepth()).express.visible).toBe(1);
  load = 4;
  await expect.poll(() => told).toEqual([`${NODE} compiled`, `${other} compiled`]);
  stop.abort();
  await loop;
});

it('compiles what a node waits for before it tells collectors of changed exports', async () => {
  const { exports, queue, nodes } = world.stores;
  const order: string[] = [];
  await exports.replaceExports('x.example.com', 1, [
    { certname: 'x.example.com', type: 'Notify', title: 'x', tags: [], parameters: {} },
  ]);
  await nodes.markSeen(NODE, 'production', 1);
  await nodes.want(NODE, 'new', 1, { asked: true, waiting: true });
  await queue.send('waiting', [{ certname: NODE, generation: 1, reason: 'new', at: 1 }]);
  const feed: ExportChangeFeed = {
    receive: (limit, delayMs) => world.stores.changes.receive(limit, delayMs),
    acknowledge: async (ids) => {
      order.push(`${ids.length} change told`);
      await world.stores.changes.acknowledge(ids);
    },
  };
  const loop = runWorker(
    { ...world, ...world.stores, invalidate: world.stores, changes: feed, timing: { delayMs: 0, intervalMs: null } },
    { ...observer, onReport: ({ certname, outcome }) => order.push(`${certname} ${outcome}`) },
    stop.signal,
  );
  await expect.poll(() => order).toEqual([`${NODE} compiled`, '1 change told']);
  stop.abort();
  await loop;
});

it('notes why a job failed that is a dead letter next', async () => {
  const nodes = intercept(world.stores.nodes, { get: () => Promise.reject(new StoreUnavailable('no space left')) });
  const queue = intercept(world.stores.queue, {
    receive: async (...args) => {
      const received = await world.stores.queue.receive(...args);
      return received.map((one) => ({ ...one, receiveCount: QUEUES.maxReceives }));
    },
  });
  await queue.send('express', [{ certname: NODE, generation: 1, reason: 'fact x changed', at: 1 }]);
  const loop = run({ context: { ...world.context, stores: { ...world.stores, nodes } }, queue });
  const read = () => world.stores.documents.get('compile-faults', NODE);
  await expect.poll(read).toMatchObject({ reason: 'no space left' });
  stop.abort();
  await loop;
});

it('tries a job again that met a fault, and loses nothing', async () => {
  let commits = 0;
  const nodes = intercept(world.stores.nodes, {
    commit: (commit) => {
      commits += 1;
      if (commits === 1) return Promise.reject(new StoreUnavailable('down'));
      return world.stores.nodes.commit(commit);
    },
  });
  const loop = run({ context: { ...world.context, stores: { ...world.stores, nodes } } });
  expect((await answerCheckIn(world.createService(), checkIn(NODE))).status).toBe('current');
  stop.abort();
  await loop;
  expect(told).toEqual([`${NODE}: down`, `${NODE} compiled`]);
});

it('gives a job back once a full disk lets it', async () => {
  const full = () => Promise.reject(new StoreRefused('the disk is full'));
  const nodes = intercept(world.stores.nodes, {
    commit: (commit) => (told.length === 0 ? full() : world.stores.nodes.commit(commit)),
  });
  let tries = 0;
  const queue = intercept(world.stores.queue, {
    retryAfter: (...args) => {
      tries += 1;
      return tries === 1 ? full() : world.stores.queue.retryAfter(...args);
    },
  });
  const loop = run({ context: { ...world.context, stores: { ...world.stores, nodes } }, queue });
  expect((await answerCheckIn(world.createService(), checkIn(NODE))).status).toBe('current');
  stop.abort();
  await loop;
  const fault = `${NODE}: the disk is full`;
  expect(told).toEqual([fault, fault, `${NODE} compiled`]);
});

it('compiles at once when the lease of a worker ends that died: the job that met it comes back', async () => {
  const { nodes, clock } = world.stores;
  await nodes.markSeen(NODE, 'production', 1);
  await nodes.want(NODE, 'first', 1, { asked: true });
  const leaseMs = 1500;
  const claim = await nodes.lease(NODE, clock.now(), clock.now() + leaseMs, 'of the dead');
  expect(claim).toMatchObject({ node: { started: 1 } });
  const before = clock.now();
  const loop = run();
  expect((await answerCheckIn(world.createService({ holdMs: 20_000 }), checkIn(NODE))).status).toBe('current');
  const tookMs = clock.now() - before;
  stop.abort();
  await loop;
  expect(told).toEqual([`${NODE} superseded`, `${NODE} compiled`]);
  expect(tookMs).toBeGreaterThanOrEqual(leaseMs - 50);
  expect(tookMs).toBeLessThan(leaseMs + 5000);
});

it('goes on with the lease of a job whose commit and release failed together', async () => {
  let faults = 0;
  const { nodes } = world.stores;
  const down = () => {
    faults += 1;
    return Promise.reject(new StoreUnavailable('down'));
  };
  const failing = intercept(nodes, {
    commit: (commit) => (faults === 0 ? down() : nodes.commit(commit)),
    release: (...args) => (faults === 1 ? down() : nodes.release(...args)),
  });
  const before = world.stores.clock.now();
  const loop = run({ context: { ...world.context, stores: { ...world.stores, nodes: failing } } });
  expect((await answerCheckIn(world.createService({ holdMs: 20_000 }), checkIn(NODE))).status).toBe('current');
  expect(world.stores.clock.now() - before).toBeLessThan(world.context.limitMs / 4);
  stop.abort();
  await loop;
  expect({ faults, told }).toEqual({ faults: 2, told: [`${NODE}: down`, `${NODE} compiled`] });
});

it('goes on when the queue does not answer for a while', async () => {
  let receives = 0;
  const queue = intercept(world.stores.queue, {
    receive: (...args) => {
      receives += 1;
      if (receives === 1) return Promise.reject(new StoreUnavailable('no queue'));
      return world.stores.queue.receive(...args);
    },
  });
  const loop = run({ queue });
  expect((await answerCheckIn(world.createService(), checkIn(NODE))).status).toBe('current');
  stop.abort();
  await loop;
  expect(told).toEqual(['loop: no queue', `${NODE} compiled`]);
});

it('does a job once more after kill -9 in the middle of the compile', async () => {
  const answer = answerCheckIn(world.createService({ holdMs: 20_000 }), checkIn(NODE));
  const worker = spawn(process.execPath, ['--input-type=module', '-e', endlessWorker(join(world.directory, 'data'))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ wanted: 1, built: 0, compiles: 0 });
  expect((await world.stores.queue.getDepth()).waiting).toMatchObject({ visible: 0, inFlight: 1 });
  await world.stores.releaseInFlight();
  const loop = run();
  expect((await answer).status).toBe('current');
  stop.abort();
  await loop;
  expect(told).toEqual([`${NODE} compiled`]);
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ wanted: 1, built: 1, compiles: 1 });
});

/** A worker process whose compile says that it began, and never ends. */
function endlessWorker(directory: string): string {
  const shared = (path: string) => JSON.stringify(new URL(`../../../../shared/${path}`, import.meta.url));
  return `
    const { openEmbeddedStores } = await import(${shared('store/embedded/stores.ts')});
    const { runWorker } = await import(${shared('fleet/compiles/worker-loop.ts')});
    const { SnapshotCache } = await import(${shared('fleet/snapshots/snapshot-cache.ts')});
    const { DependencyCache } = await import(${shared('fleet/dependencies/dependency-cache.ts')});
    const stores = openEmbeddedStores(${JSON.stringify(directory)});
    const compile = () => { require('node:fs').writeSync(1, 'compiling'); for (;;); };
    const { DEFAULT_COMPILE_SETTINGS: settings } = await import(${shared('puppet/compiler/default-settings.ts')});
    const server = { name: 'puppet', ip: '127.0.0.1', release: '0' };
    const caches = { snapshots: new SnapshotCache(stores.blobs), dependencies: new DependencyCache(stores.blobs) };
    const context = { stores, ...caches, compile, settings, server, limitMs: 60_000 };
    const ports = { context, queue: stores.queue, documents: stores.documents, changes: stores.changes, invalidate: stores };
    await runWorker(ports, { onStart() {}, onReport() {}, onFault() {} }, new AbortController().signal);`.replace(
    "require('node:fs')",
    "process.getBuiltinModule('node:fs')",
  );
}

it('gives a job back as soon as the store answers again, not at its visibility time-out', async () => {
  let outage = 2;
  const nodes = intercept(world.stores.nodes, {
    get: async (certname) => {
      if (outage > 0) throw new StoreUnavailable('away');
      return world.stores.nodes.get(certname);
    },
  });
  const queue = intercept(world.stores.queue, {
    retryAfter: async (...args) => {
      if (outage > 0) {
        outage -= 1;
        throw new StoreUnavailable('away');
      }
      await world.stores.queue.retryAfter(...args);
    },
  });
  await world.stores.nodes.markSeen(NODE, 'production', 1);
  await world.stores.nodes.want(NODE, 'new', 1, { asked: true });
  await queue.send('express', [{ certname: NODE, generation: 1, reason: 'new', at: 1 }]);
  const loop = run({ context: { ...world.context, stores: { ...world.stores, nodes } }, queue });
  await expect.poll(async () => (await world.stores.nodes.get(NODE))?.built).toBe(1);
  stop.abort();
  await loop;
});
