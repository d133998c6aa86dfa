import { expect, it } from 'vitest';
import { readRunChanges } from '../../../../shared/fleet/reports/run-changes.ts';

const metrics = (...values: readonly unknown[]) => ({ resources: { name: 'resources', label: 'Resources', values } });

it.each([
  [
    metrics(['changed', 'Changed', 5], ['corrective_change', 'Corrective change', 2]),
    { corrective: 2, intentional: 3 },
  ],
  [metrics(['changed', 'Changed', 5]), { corrective: 0, intentional: 5 }],
  [metrics(['corrective_change', 'Corrective change', 2]), { corrective: 2, intentional: 0 }],
  [metrics(['changed', 'Changed', 0], ['total', 'Total', 9]), null],
  [metrics('changed', ['changed'], [5, 5, 5]), null],
  [{}, null],
  [null, null],
  [{ resources: 5 }, null],
])('reads what a run changed from the metrics %j', (given, changes) => {
  expect(readRunChanges(given)).toEqual(changes);
});
