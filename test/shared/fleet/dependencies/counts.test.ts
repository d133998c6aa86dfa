import { expect, it } from 'vitest';
import { measureDependencies } from '../../../fleet/dependencies.ts';

it('writes rows for what is new, and verifies an unchanged node with three requests', async () => {
  const measures = Object.fromEntries((await measureDependencies(5)).map(({ measure, value }) => [measure, value]));
  expect(measures).toEqual({
    // Twelve parts, the set twice, the node's membership with a note, and its own path.
    'dependencies.rows_per_new_role': 17,
    'dependencies.rows_per_new_node': 3,
    'dependencies.requests_per_new_node': 2,
    'dependencies.rows_per_recompile': 0,
    'dependencies.rows_per_new_path': 5,
    'verify.requests': 3,
  });
});
