import { expect, it } from 'vitest';
import { judgeCanary } from '../../../../shared/fleet/reports/canary-verdict.ts';

const run = (isFailed: boolean, failedResources: number | null = 0) => ({ isFailed, failedResources });

it.each([
  ['good as before', run(false), run(false), null],
  ['better than before', run(true, 3), run(false), null],
  ['failed as before', run(true, 3), run(true, 3), null],
  ['failed, with fewer resources', run(true, 3), run(true, 1), null],
  ['more failed resources', run(true, 1), run(true, 2), '2 resources failed, 1 before'],
  ['a first failed resource', run(false), run(true, 1), '1 resource failed, 0 before'],
  ['no catalog', run(false), run(true, 0), 'its run failed, and the one before did not'],
  ['no catalog, as before', run(true, 0), run(true, 0), null],
  ['no catalog, and no report', run(false), run(true, null), 'its run failed, and the one before did not'],
  ['a first run', null, run(false), null],
  ['a first run that failed', null, run(true, 0), 'its run failed'],
  ['a first run with failed resources', null, run(true, 2), '2 resources failed, 0 before'],
])('%s', (_, before, after, reason) => {
  expect(judgeCanary(before, after)).toEqual(reason === null ? { isWorse: false } : { isWorse: true, reason });
});
