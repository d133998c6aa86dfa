import { expect, it } from 'vitest';
import { runHerd } from '../herd/run-herd.ts';

const NODES = 40;

it('serves nodes that export and collect one type and are all new at once', async () => {
  const herd = await runHerd({ nodes: NODES, workers: 1, sockets: NODES });
  expect([...herd.answers]).toEqual([[200, NODES]]);
  expect(herd.faults).toEqual([]);
  expect(herd.incomplete).toEqual([]);
  expect(herd.compiles / NODES).toBeLessThanOrEqual(3);
  expect(herd.statusMs.length).toBeGreaterThan(0);
  expect(herd.lagMs).toBeGreaterThan(0);
}, 300_000);
