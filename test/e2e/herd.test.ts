import { expect, it } from 'vitest';
import { runHerd } from '../herd/run-herd.ts';
import { runPcpHerd } from '../herd/run-pcp-herd.ts';
import { runTaskHerd } from '../herd/run-task-herd.ts';

const NODES = 40;
const AGENTS = 120;

it('serves nodes that export and collect one type and are all new at once', async () => {
  const herd = await runHerd({ nodes: NODES, workers: 1, sockets: NODES });
  expect([...herd.answers]).toEqual([[200, NODES]]);
  expect(herd.faults).toEqual([]);
  expect(herd.incomplete).toEqual([]);
  expect(herd.compiles / NODES).toBeLessThanOrEqual(3);
  expect(herd.statusMs.length).toBeGreaterThan(0);
  expect(herd.lagMs).toBeGreaterThan(0);
});

it('serves catalogs while PXP agents come back at once after a restart', async () => {
  const herd = await runPcpHerd({
    agents: AGENTS,
    nodes: 3,
    timeScale: 0.05,
    signal: 'SIGKILL',
    flags: ['--pcp-handshakes-per-second', '4'],
  });
  expect([...herd.answers.keys()]).toEqual([200]);
  expect(herd.connects).toBe(AGENTS);
  // More than begin at once or may wait for it: the others backed off.
  expect(herd.failures).toBeGreaterThan(0);
});

it('runs a task on all connected agents', async () => {
  const { states, nodeMs } = await runTaskHerd(AGENTS);
  expect([...states]).toEqual([['finished', AGENTS]]);
  expect(nodeMs).toHaveLength(AGENTS);
});
