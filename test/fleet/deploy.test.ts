import { expect, it } from 'vitest';
import { measureDeploys } from './deploy.ts';

it('invalidates each node of a fleet once, with few requests and little memory, also when workers are killed', async () => {
  const measures = new Map((await measureDeploys(4000)).map(({ measure, value }) => [measure, value]));
  expect([...measures.keys()]).toEqual([
    'deploy.requests_per_node.one_role',
    'deploy.requests_per_node.common',
    'deploy.rework_after_kill',
    'deploy.requests_per_node.module',
    'deploy.peak_mb',
  ]);
  // 20 nodes of one role have chains of their own; so do 4,000 nodes of 3,200 shards.
  expect(measures.get('deploy.requests_per_node.one_role')).toBeLessThan(12);
  expect(measures.get('deploy.requests_per_node.common')).toBeLessThan(3);
  expect(measures.get('deploy.requests_per_node.module')).toBeLessThan(3);
  expect(measures.get('deploy.rework_after_kill')).toBeLessThan(0.5);
  expect(measures.get('deploy.peak_mb')).toBeLessThan(256);
});
