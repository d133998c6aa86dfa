import { expect, it } from 'vitest';
import { runExportStorm } from './exports.ts';

it('compiles new nodes that export and collect one type at most three times, however many they are', async () => {
  const [few, many] = [await runExportStorm(125), await runExportStorm(500)];
  expect([few.complete, many.complete]).toEqual([125, 500]);
  for (const figure of ['jobs', 'compiles', 'writes'] as const) {
    expect([figure, many[figure] / 500 <= 1.2 * (few[figure] / 125)]).toEqual([figure, true]);
  }
  expect(many.compiles / 500).toBeLessThanOrEqual(3);
  expect(many.jobs / 500).toBeLessThanOrEqual(4);
});
