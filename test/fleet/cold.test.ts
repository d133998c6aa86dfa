import { expect, it } from 'vitest';
import { measureColdCompiles } from './cold.ts';

it.each([
  [6000, 10],
  [36_000, 20],
])('a cold compile in an environment of %d files reads at most %d blobs', async (files, most) => {
  const [gets] = await measureColdCompiles([files]);
  expect(gets?.measure).toBe(`cold.gets.${files}`);
  expect(gets?.value).toBeLessThanOrEqual(most);
});
