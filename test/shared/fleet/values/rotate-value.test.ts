import { expect, it } from 'vitest';
import { KEPT_VALUES, keptValueKey } from '../../../../shared/fleet/values/kept-value-list.ts';
import { beginRenewal } from '../../../../shared/fleet/values/rotate-value.ts';
import type { NodeRecord } from '../../../../shared/store/ports/node-record.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

it('passes over all nodes for two values at a time, and counts whom it invalidated', async () => {
  const documents = new MemoryDocuments();
  for (const name of NAMES) await documents.put(KEPT_VALUES, keptValueKey('production', name), { name });
  const inputs = { environment: 'production', keptValues: { a: 'v', b: 'v', c: 'v', d: 'v', e: 'v' } };
  const gate = Promise.withResolvers<void>();
  let [passes, most] = [0, 0];
  const invalidated: string[] = [];
  const nodes = {
    list: async () => {
      passes += 1;
      most = Math.max(most, passes);
      await gate.promise;
      passes -= 1;
      return [{ certname: 'web01', inputs }] as unknown as readonly NodeRecord[];
    },
    want: async (certname: string, reason: string) => {
      invalidated.push(`${certname}: ${reason}`);
      return null;
    },
  };
  const stores = { nodes, documents, clock: new ManualClock(), queue: {} } as unknown as Stores;
  const begun = await Promise.all(NAMES.map((name) => beginRenewal('production', name, 'alice', stores)));
  expect([passes, begun.map((one) => one?.countInvalidated())]).toEqual([2, [0, 0, 0, 0, 0]]);
  expect(await beginRenewal('production', 'a', 'alice', stores)).toBeNull();
  gate.resolve();
  await Promise.all(begun.map((one) => one?.done));
  expect([most, begun.map((one) => one?.countInvalidated())]).toEqual([2, [1, 1, 1, 1, 1]]);
  expect(invalidated).toEqual(NAMES.map((name) => `web01: the kept value ${name} was rotated`));
});
