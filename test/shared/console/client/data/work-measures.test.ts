import { expect, it } from 'vitest';
import { WORK_MEASURES } from '../../../../../shared/console/client/data/work-measures.ts';
import { joinHours } from '../../../../../shared/console/client/data/work-spans.ts';

const HOUR_MS = 3_600_000;
const hour = (at: number, more: object) => ({
  ...{ at: at * HOUR_MS, runs: {}, answers: {}, compiles: {}, compileMs: { p50: null, p99: null }, fanOut: {} },
  peaks: {},
  ...more,
});

it('shows each measure of joined hours', () => {
  const hours = [
    hour(3, {
      runs: { unchanged: 5, failed: 1 },
      answers: { miss: 2, stale: 1, failed: 3 },
      peaks: { queueAgeMs: 900 },
    }),
    hour(4, { runs: { unchanged: 2 }, answers: { miss: 1, unavailable: 4 }, peaks: { queueAgeMs: 61_400 } }),
    hour(5, { compiles: { compiled: 7, failed: 1 }, fanOut: { invalidated: 40 } }),
    hour(6, { fanOut: { invalidated: 1 } }),
  ];
  const spans = joinHours({ at: 7 * HOUR_MS, from: 0, hours, deploys: [] }, 3);
  const shown = spans.map((span) =>
    Object.fromEntries(WORK_MEASURES.map(({ id, parts }) => [id, parts.map(({ read }) => read(span))])),
  );
  expect(spans.map(({ at }) => at)).toEqual([3 * HOUR_MS, 6 * HOUR_MS]);
  expect(shown).toEqual([
    { '': [7, 0, 0, 1], compiles: [7, 1], held: [3, 1, 7], queue: [61], 'fan-out': [40] },
    { '': [0, 0, 0, 0], compiles: [0, 0], held: [0, 0, 0], queue: [0], 'fan-out': [1] },
  ]);
});
