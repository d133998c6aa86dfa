import { expect, it } from 'vitest';
import { measureDays } from './day.ts';

const RUNS = 2;

it('counts the same for a node of any fleet, and the same each time', async () => {
  const measures = await measureDays([6], RUNS, [2, 4]);
  const again = await measureDays([], RUNS, [2, 4]);
  expect(measures.slice(0, again.length)).toEqual(again);
  const figures = new Map(measures.map(({ measure, value }) => [measure, value]));
  // A run reads four units.
  expect(figures.get('day.runs.readUnits.6')).toBeLessThanOrEqual(4 * RUNS);
  expect(figures.get('day.runs.nodeWrites.6')).toBe(0);
  expect(figures.get('day.reports.puts.6')).toBe(1);
  for (const kind of ['facts', 'deploy']) {
    expect([kind, figures.get(`day.${kind}.puts.6`)]).toEqual([kind, 1]);
    expect([kind, figures.get(`day.${kind}.nodeWrites.6`)]).toEqual([kind, 4]);
  }
});
