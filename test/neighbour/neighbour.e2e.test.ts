import { expect, it } from 'vitest';
import { type NeighbourResult, runNeighbour } from './run-neighbour.ts';

it('answers a polite node while a hostile one is at work', async () => {
  const results: NeighbourResult[] = [];
  const kinds = ['metadata storm', 'NULs to the inventory'];
  await runNeighbour({ seconds: 1, kinds, onResult: (result) => results.push(result) });
  expect(results.map(({ kind, failures }) => [kind, failures])).toEqual(kinds.map((kind) => [kind, []]));
  // Each run of the node has six requests.
  for (const { disturbed } of results) expect(disturbed.requests).toBeGreaterThanOrEqual(6);
});
