import { expect, it } from 'vitest';
import { Pacing } from '../../../../shared/orchestrator/jobs/pacing.ts';

it('divides the limits among the processes that share them, with one pass for each at least', () => {
  let processes = 1;
  const pacing = new Pacing({ compiles: 8, actions: 1 }, () => processes);
  for (let taken = 0; taken < 3; taken += 1) pacing.take('compiles');
  expect(pacing.hasFree('compiles')).toBe(true);
  processes = 3;
  expect([pacing.hasFree('compiles'), pacing.hasFree('actions')]).toEqual([false, true]);
  processes = 2;
  expect(pacing.hasFree('compiles')).toBe(true);
});
