import { expect, it } from 'vitest';
import { ComparisonSummary, limitSummary } from '../../../../shared/fleet/comparisons/fleet-comparison.ts';
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

it('keeps the largest groups within a size, and counts the others', () => {
  const summary = new ComparisonSummary();
  const common = { environment: 'production', at: 1 };
  for (let index = 0; index < 6; index += 1) {
    const changes = ['/a', '/b'].slice(0, index < 2 ? 2 : 1).map((path) => ({
      kind: 'added' as const,
      resource: `File[${path}]`,
    }));
    summary.add({ certname: `n${index}.test`, ...common, outcome: 'different', changes, omitted: 0 });
    summary.add({
      certname: `f${index}.test`,
      ...common,
      outcome: 'failing',
      message: `m${Math.max(index, 2)} ${'x'.repeat(80)}`,
    });
  }
  const limited = limitSummary(summary.read(), 600);
  expect(limited).toMatchObject({ compared: 12, different: 6, failing: 6, omitted: 4 });
  expect([limited.groups.map(({ count }) => count), limited.failures.map(({ count }) => count)]).toEqual([[6], [3]]);
  expect(limitSummary(summary.read(), 100_000)).toEqual(summary.read());
});
