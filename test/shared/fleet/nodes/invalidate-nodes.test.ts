import { afterEach, beforeEach, expect, it } from 'vitest';
import { invalidateNodes } from '../../../../shared/fleet/nodes/invalidate-nodes.ts';
import type { NodeStore } from '../../../../shared/store/ports/node-store.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

let world: CompileWorld;
beforeEach(() => {
  world = new CompileWorld();
});
afterEach(() => world.close());

it('sends the jobs of all other nodes when the store fails at one, and throws its fault', async () => {
  const { stores } = world;
  const certnames = Array.from({ length: 25 }, (_, index) => `node${index}.example.com`);
  for (const certname of certnames) await stores.nodes.markSeen(certname, 'production', 1);
  const nodes = intercept<NodeStore>(stores.nodes, {
    want: async (certname, ...rest) => {
      if (certname === 'node4.example.com') throw new Error('the store is away');
      return stores.nodes.want(certname, ...rest);
    },
  });
  await expect(invalidateNodes(certnames, 'a file changed', { ...stores, nodes })).rejects.toThrow('the store is away');
  expect((await stores.queue.getDepth()).express.visible).toBe(24);
});
