import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogBlob, putCatalog } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import { storeFacts } from '../../../../shared/fleet/nodes/facts-blob.ts';
import { storeReport } from '../../../../shared/fleet/nodes/node-reports.ts';
import { InventoryFeed } from '../../../../shared/inventory/feed/inventory-feed.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { NodeRecord } from '../../../../shared/store/ports/node-record.ts';
import type { NodeStore } from '../../../../shared/store/ports/node-store.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { ManualClock, MemoryBlobs, MemoryDocuments } from '../../../helpers/memory-stores.ts';

let world: InventoryWorld;
beforeAll(async () => {
  world = await openInventoryWorld();
});
afterAll(() => world.remove());

const clock = new ManualClock(Date.UTC(2026, 10, 5));
const [blobs, documents] = [new MemoryBlobs(), new MemoryDocuments()];
const records = new Map<string, Partial<NodeRecord>>();
const nodes = { list: async () => [...records.values()] } as unknown as NodeStore;
const stores = { nodes, blobs, documents, clock };

async function ask(query: string): Promise<unknown> {
  return JSON.parse((await world.send({ path: '/pdb/query/v4', parameters: { query } })).text);
}

it('brings facts, catalogs and reports of each node once, and deactivates nodes that are gone', async () => {
  const troubles: string[] = [];
  const feed = new InventoryFeed({
    stores,
    database: world.database,
    producer: 'p.test',
    idleMs: 86_400_000,
    onTrouble: (message) => troubles.push(message),
  });
  const facts = PuppetHash.of([['kernel', 'Linux']]);
  const pointer = await storeFacts(
    blobs,
    'a.test',
    { facts, trusted: PuppetHash.of([['certname', 'a.test']]) },
    clock.now(),
  );
  const catalog = catalogBlob(
    '{"name":"a.test","resources":[{"type":"Class","title":"Web","tags":["class"],"exported":false}],"edges":[]}',
    'code-1',
    clock.now(),
  );
  await putCatalog(blobs, catalog, 'code-1');
  records.set('a.test', {
    certname: 'a.test',
    environment: 'production',
    lastSeen: clock.now(),
    facts: pointer,
    catalog: { hash: catalog.hash, codeId: 'code-1', compiledAt: clock.now(), durationMs: 1, exported: '' },
    inputs: null,
  });
  records.set('b.test', {
    certname: 'b.test',
    lastSeen: 0,
    environment: 'testing',
    facts: null,
    catalog: null,
    inputs: null,
  });
  const quiet = {
    environment: 'production',
    time: '2026-11-05T00:00:00Z',
    puppetVersion: '8.0.0',
    transactionUuid: null,
    noop: false,
  };
  const summary = { certname: 'a.test', receivedAt: clock.now(), status: 'unchanged', ...quiet };
  await storeReport({ blobs, documents }, summary, null, { kept: 10, days: 10 });

  expect(await feed.run()).toBe(1);
  expect(await ask('nodes[certname, latest_report_status, facts_environment]{}')).toEqual([
    { certname: 'a.test', latest_report_status: 'unchanged', facts_environment: 'production' },
  ]);
  expect(await ask('inventory[facts.kernel, trusted.certname]{}')).toEqual([
    { 'facts.kernel': 'Linux', 'trusted.certname': 'a.test' },
  ]);
  expect(await ask('resources[title]{}')).toEqual([{ title: 'Web' }]);
  expect(await ask('catalogs[code_id, producer]{}')).toEqual([{ code_id: 'code-1', producer: 'p.test' }]);

  expect(await feed.run()).toBe(0);
  clock.time += 60_000;
  await storeReport({ blobs, documents }, { ...summary, receivedAt: clock.now() }, null, { kept: 10, days: 10 });
  expect(await feed.run()).toBe(1);
  expect(await ask('reports[certname]{}')).toHaveLength(2);

  records.delete('a.test');
  clock.time += 60_000;
  expect(await feed.run()).toBe(1);
  expect(await ask('nodes[certname]{}')).toEqual([]);
  expect(troubles).toEqual([]);
});
