import { expect, it } from 'vitest';
import { runGroupChanges } from './groups.ts';

it('asks for a changed group what the nodes ask for that it changes', async () => {
  const [small, large] = [await runGroupChanges(250, 25), await runGroupChanges(1000, 25)];
  expect([small.edited.changed, large.edited.changed]).toEqual([25, 25]);
  expect([small.described.changed, large.described.changed]).toEqual([0, 0]);
  // Facts and a reason for each node, a message for ten, and a page of records for 500.
  expect(large.edited.requests).toBeLessThanOrEqual(25 * 2 + 3 + 20);
  expect(large.edited.requests - small.edited.requests).toBeLessThanOrEqual(6);
  expect(large.described.requests).toBeLessThanOrEqual(20);
});

it('reads the facts of all nodes once, when rules read a fact for the first time', async () => {
  const { first, edited } = await runGroupChanges(250);
  expect(first.counts['blobs.get']).toBeGreaterThanOrEqual(250);
  expect(first.requests).toBeLessThanOrEqual(250 * 2 + 30);
  expect(edited.requests).toBeLessThanOrEqual(25 * 2 + 25);
});
