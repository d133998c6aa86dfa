import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { connectInventory, serveInventory } from '../../../shared/local/inventory-bridge.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';

it('carries calls, answers and faults between threads', async () => {
  const seen: unknown[] = [];
  const { port1, port2 } = new MessageChannel();
  serveInventory(port1, {
    ask: async (queries, watcher) => {
      seen.push(watcher);
      if (queries.includes('away')) throw new StoreUnavailable('the inventory: it is away');
      return new Map(queries.map((query) => [query, { digest: `of ${query}`, rows: '[]', error: null }]));
    },
    digest: async (queries) => new Map(queries.map((query) => [query, `of ${query}`])),
    keepOnly: async (queries, watcher) => {
      seen.push([queries, watcher]);
    },
  });
  const inventory = connectInventory(port2);
  const watcher = { certname: 'a.test', generation: 7 };
  const [asked, digests] = await Promise.all([inventory.ask(['x', 'y'], watcher), inventory.digest(['z'], null)]);
  expect([...asked.keys()]).toEqual(['x', 'y']);
  expect(asked.get('y')).toEqual({ digest: 'of y', rows: '[]', error: null });
  expect(digests).toEqual(new Map([['z', 'of z']]));
  await inventory.keepOnly(['x'], watcher);
  const away = inventory.ask(['away'], null);
  await expect(away).rejects.toThrow(StoreUnavailable);
  await expect(away).rejects.toThrow('the inventory: it is away');
  expect(seen).toEqual([watcher, [['x'], watcher], null]);
  port1.close();
});
