import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { catalogBlob, putCatalog } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import { factsBlobOf, storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { storeQuietRun, storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { DatabaseUnavailable } from '../../../../shared/inventory/database/inventory-database.ts';
import { InventoryFeed } from '../../../../shared/inventory/feed/inventory-feed.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { EmbeddedBlobStore } from '../../../../shared/store/embedded/blob-store.ts';
import { EmbeddedDatabase } from '../../../../shared/store/embedded/database.ts';
import { digestExports } from '../../../../shared/store/exports-digest.ts';
import { followOnce } from '../../../../shared/store/follow-changes.ts';
import type { NodeStore } from '../../../../shared/store/ports/node-store.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { createTables } from '../../../../shared/store/sql/tables.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';

let world: InventoryWorld;
beforeAll(async () => {
  world = await openInventoryWorld();
});
afterAll(async () => {
  database.close();
  rmSync(directory, { recursive: true });
  await world.remove();
});

const directory = mkdtempSync(join(tmpdir(), 'understudy-feed-'));
const clock = new ManualClock(Date.UTC(2026, 10, 5));
const database = new EmbeddedDatabase(directory);
const tables = createTables(database, { clock });
/** Calls of the stores and transactions of the inventory since the last look. */
const calls = new Map<string, number>();
const { exports } = tables;
const stores = {
  clock,
  exports,
  nodes: counted('nodes', tables.nodes as NodeStore),
  documents: counted('documents', tables.documents as Stores['documents']),
  blobs: counted('blobs', new EmbeddedBlobStore(directory) as Stores['blobs']),
};
const { nodeChanges, dependencies } = tables;
const troubles: string[] = [];
let isAway = false;
const feed = new InventoryFeed({
  stores,
  database: counted('inventory', {
    read: (...given) => world.database.read(...given),
    close: () => world.database.close(),
    transaction: (body) => {
      if (isAway) throw new DatabaseUnavailable('away');
      return world.database.transaction(body);
    },
    perform: (task, argument) => {
      if (isAway) throw new DatabaseUnavailable('away');
      return world.database.perform(task, argument);
    },
  }),
  identity: 'test',
  producer: 'p.test',
  idleMs: 86_400_000,
  onTrouble: (message) => troubles.push(message),
});

function counted<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(of, key): unknown {
      const found: unknown = Reflect.get(of, key);
      if (typeof found !== 'function') return found;
      return (...given: readonly unknown[]) => {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        return Reflect.apply(found, of, given);
      };
    },
  });
}

async function follow(): Promise<number> {
  for (let turns = 0; ; turns += 1) if (!(await followOnce(nodeChanges, feed))) return turns;
}

async function ask(query: string): Promise<unknown> {
  return JSON.parse((await world.send({ path: '/pdb/query/v4', parameters: { query } })).text);
}

const LIMITS = { kept: 10, days: 10 };
const summaryOf = (certname: string) => ({
  certname,
  receivedAt: clock.now(),
  status: 'unchanged',
  environment: 'production',
  time: '2026-11-05T00:00:00Z',
  puppetVersion: '8.0.0',
  transactionUuid: null,
  noop: false,
});

async function say(certname: string, kernel: string): Promise<void> {
  const said = { facts: PuppetHash.of([['kernel', kernel]]), trusted: PuppetHash.of([['certname', certname]]) };
  await tables.nodes.markSeen(certname, 'production', clock.now());
  const change = { asked: true, facts: await storeFacts(stores.blobs, said, clock.now()) };
  await tables.nodes.want(certname, 'facts', clock.now(), change);
}

async function commit(certname: string, title: string): Promise<void> {
  const resource = { type: 'Class', title, tags: ['class'], exported: false };
  const text = JSON.stringify({ name: certname, resources: [resource], edges: [] });
  const catalog = catalogBlob(text, 'code-1', clock.now());
  await putCatalog(stores.blobs, catalog, 'code-1');
  const at = clock.now();
  const node = await tables.nodes.want(certname, 'code', at, { asked: true });
  const pointer = {
    hash: catalog.hash,
    codeId: 'code-1',
    namedCode: [],
    compiledAt: at,
    durationMs: 1,
    exported: digestExports([]),
  };
  const generation = node?.wanted ?? 0;
  await tables.nodes.lease(certname, at, at, null);
  expect(
    await tables.nodes.commit({ certname, generation, catalog: pointer, failure: null, inputs: NO_INPUTS, at }),
  ).toBe(true);
}

beforeEach(() => {
  clock.time += 60_000;
  troubles.length = 0;
});

it('brings what there is when it begins', async () => {
  await say('a.test', 'Linux');
  await commit('a.test', 'Web');
  await storeQuietRun(stores, { ...summaryOf('a.test'), quiet: {} });
  await tables.nodes.markSeen('idle.test', 'testing', 0);
  await follow();
  expect(await ask('nodes[certname, latest_report_status, facts_environment]{}')).toEqual([
    { certname: 'a.test', latest_report_status: 'unchanged', facts_environment: 'production' },
  ]);
  expect(await ask('inventory[facts.kernel, trusted.certname]{}')).toEqual([
    { 'facts.kernel': 'Linux', 'trusted.certname': 'a.test' },
  ]);
  expect(await ask('resources[title]{}')).toEqual([{ title: 'Web' }]);
  expect(await ask('catalogs[code_id, producer]{}')).toEqual([{ code_id: 'code-1', producer: 'p.test' }]);
});

it('brings each change then, and each report of runs that changed nothing', async () => {
  await say('a.test', 'Darwin');
  await commit('a.test', 'Database');
  for (let run = 0; run < 3; run += 1) {
    clock.time += 1000;
    await storeQuietRun(stores, { ...summaryOf('a.test'), quiet: {} });
  }
  expect(await follow()).toBe(1);
  expect(await ask('inventory[facts.kernel]{}')).toEqual([{ 'facts.kernel': 'Darwin' }]);
  expect(await ask('resources[title]{}')).toEqual([{ title: 'Database' }]);
  expect(await ask('reports[certname]{}')).toHaveLength(4);
});

it('has the changes wait while its database is away', async () => {
  isAway = true;
  await say('a.test', 'SunOS');
  await expect(follow()).rejects.toThrow('away');
  isAway = false;
  expect(await follow()).toBe(1);
  expect(await ask('inventory[facts.kernel]{}')).toEqual([{ 'facts.kernel': 'SunOS' }]);
});

it('leaves out what can never be stored, and reports it', async () => {
  const report = gzipSync(JSON.stringify({ time: 'never', logs: [], metrics: {}, resource_statuses: {} }));
  await storeReport(stores, { ...summaryOf('a.test'), status: 'failed' }, report, LIMITS);
  expect(await follow()).toBe(1);
  await storeReport(stores, { ...summaryOf('a.test'), status: 'failed' }, gzipSync('no JSON'), LIMITS);
  expect(await follow()).toBe(1);
  expect(troubles).toEqual([
    "the report of a.test cannot be stored: 'start_time' must be a time",
    `the report of a.test cannot be stored: Unexpected token 'o', "no JSON" is not valid JSON`,
  ]);
});

it('takes a catalog that was compiled again for none, without a look at the inventory', async () => {
  await commit('a.test', 'Database');
  calls.clear();
  expect(await follow()).toBe(1);
  expect([...calls]).toEqual([]);
});

it('deactivates a node when it is purged', async () => {
  await purgeNode('a.test', { ...stores, dependencies, exports, queue: tables.queue });
  await follow();
  expect(await ask('nodes[certname]{}')).toEqual([]);
  clock.time += 1000;
  await say('a.test', 'Linux');
  await follow();
  expect(await ask('nodes[certname]{}')).toEqual([{ certname: 'a.test' }]);
});

it('finds out in a pass what changed while nobody followed', async () => {
  await nodeChanges.forget(feed.name);
  const before = feed.nodesBrought;
  await purgeNode('a.test', { ...stores, dependencies, exports, queue: tables.queue });
  await say('b.test', 'Linux');
  const report = gzipSync(
    JSON.stringify({ time: '2026-11-05T00:00:00Z', logs: [], metrics: {}, resource_statuses: {} }),
  );
  for (const transactionUuid of ['1', '2', '3']) {
    await storeReport(stores, { ...summaryOf('b.test'), transactionUuid, status: 'changed' }, report, LIMITS);
  }
  await follow();
  expect(await ask('nodes[certname, facts_environment]{}')).toEqual([
    { certname: 'b.test', facts_environment: 'production' },
  ]);
  expect([feed.nodesBrought - before, troubles]).toEqual([1, []]);
});

it('brings reports in a pass whose changes were lost before others were fed', async () => {
  await say('c.test', 'Linux');
  const uuids = ['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
  for (const transactionUuid of uuids) {
    clock.time += 1000;
    const run = { transaction_uuid: transactionUuid, time: '2026-11-05T00:00:00Z', resource_statuses: {} };
    const report = gzipSync(JSON.stringify({ ...run, logs: [], metrics: {} }));
    await storeReport(stores, { ...summaryOf('c.test'), transactionUuid, status: 'changed' }, report, LIMITS);
    // A stream drops the second change.
    if (transactionUuid !== uuids[1]) await follow();
    else await nodeChanges.advance(feed.name, { ...(await nodeChanges.read(feed.name, 100)), pass: null });
  }
  const pass = async () => {
    for (let mark: string | null = ''; mark !== null; ) mark = await feed.continuePass(mark);
  };
  const stored = 'reports[transaction_uuid]{ certname = "c.test" order by transaction_uuid }';
  const listed = (given: readonly string[]) => given.map((transaction_uuid) => ({ transaction_uuid }));
  expect(await ask(stored)).toEqual(listed(uuids.filter((uuid) => uuid !== uuids[1])));
  await pass();
  expect(await ask(stored)).toEqual(listed(uuids));
  const before = feed.nodesBrought;
  await pass();
  expect(feed.nodesBrought).toBe(before);
});

it('brings facts and catalogs in a pass that were missing from the store before', async () => {
  await say('lost.test', 'Linux');
  await commit('lost.test', 'Web');
  const { facts = null, catalog = null } = (await tables.nodes.get('lost.test')) ?? {};
  const keys = [factsBlobOf({ certname: 'lost.test', facts }), `catalogs/${catalog?.hash}`];
  const kept = await Promise.all(keys.map(async (key) => [key, await stores.blobs.get(key)] as const));
  for (const key of keys) await stores.blobs.delete(key);
  await follow();
  expect(await ask('nodes[certname]{ certname = "lost.test" }')).toEqual([]);
  for (const [key, bytes] of kept) await stores.blobs.put(key, bytes ?? Buffer.of());
  await nodeChanges.forget(feed.name);
  await follow();
  expect(await ask('nodes[certname, facts_environment]{ certname = "lost.test" }')).toEqual([
    { certname: 'lost.test', facts_environment: 'production' },
  ]);
  expect(await ask('resources[title]{ certname = "lost.test" and type = "Class" }')).toEqual([{ title: 'Web' }]);
});

it.each([250, 1000, 4000])(
  'does nothing when nothing changed, and as much for a report, with %d nodes',
  async (count) => {
    const { nodes } = createTables(database.transaction, { clock });
    await database.runInTransaction(async () => {
      for (let n = 0; n < count; n += 1) await nodes.markSeen(`n${n}.test`, 'production', clock.now());
    });
    await follow();
    calls.clear();
    expect(await follow()).toBe(0);
    expect([...calls]).toEqual([]);
    await storeQuietRun(tables, { ...summaryOf('n7.test'), quiet: {} });
    expect(await follow()).toBe(1);
    // What was taken of the node; the report, and what is taken now.
    expect([...calls]).toEqual([['inventory', 2]]);
  },
);
