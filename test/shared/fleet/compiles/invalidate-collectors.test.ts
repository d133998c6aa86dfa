import { afterEach, beforeEach, expect, it } from 'vitest';
import { invalidateCollectors } from '../../../../shared/fleet/compiles/invalidate-collectors.ts';
import type { CompileJob } from '../../../../shared/store/ports/compile-queue.ts';
import type { NodeStore } from '../../../../shared/store/ports/node-store.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

const CERTNAMES = Array.from({ length: 205 }, (_, index) => `node${String(index).padStart(3, '0')}.example.com`);
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  for (const certname of CERTNAMES) {
    await world.stores.nodes.markSeen(certname, 'production', 1);
    await world.stores.exports.replaceCollectors(certname, 1, [{ certname, type: 'Notify', query: null }]);
  }
});
afterEach(() => world.close());

it('tells many collectors of a change, so many at a time, with as few messages to the queue as it takes', async () => {
  const { stores } = world;
  let under = 0;
  let most = 0;
  const want: NodeStore['want'] = async (...args) => {
    under += 1;
    most = Math.max(most, under);
    await new Promise((resolve) => setTimeout(resolve, 1));
    under -= 1;
    return stores.nodes.want(...args);
  };
  const sent: (readonly CompileJob[])[] = [];
  const queue = intercept(stores.queue, { send: async (_, jobs) => void sent.push(jobs) });
  const after = { certname: 'exporter.example.com', type: 'Notify', title: 'n', tags: [], parameters: {} };
  const ports = { ...stores, nodes: intercept<NodeStore>(stores.nodes, { want }), queue };
  expect(await invalidateCollectors([{ before: null, after }], ports)).toBe(CERTNAMES.length);
  expect(most).toBeLessThanOrEqual(80);
  expect(sent.map((jobs) => jobs.length)).toEqual([...Array(20).fill(10), 5]);
  expect(new Set(sent.flat().map(({ certname }) => certname))).toEqual(new Set(CERTNAMES));
  expect(sent.flat().every(({ generation }) => generation === 1)).toBe(true);
});
