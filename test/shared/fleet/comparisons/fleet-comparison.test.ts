import { expect, it } from 'vitest';
import { ComparisonSummary } from '../../../../shared/fleet/comparisons/fleet-comparison.ts';
import { compareWithOurs } from '../../../../shared/fleet/comparisons/node-comparison.ts';

const NONE = { resources: [], edges: [], classes: [] };

it('counts the changes that the comparison of a node leaves out', () => {
  const resources = Array.from({ length: 203 }, (_, index) => ({
    type: 'Notify',
    title: `n${index}`,
    parameters: {},
  }));
  const summary = new ComparisonSummary();
  for (const certname of ['a.test', 'b.test']) {
    const outcome = compareWithOurs(NONE, { ...NONE, resources });
    summary.add({ certname, environment: 'production', at: 1, ...outcome });
  }
  const { different, groups, omitted } = summary.read();
  expect({ different, listed: groups.map(({ count, differences }) => [count, differences.length]), omitted }).toEqual({
    different: 2,
    listed: [[2, 200]],
    omitted: 6,
  });
});
