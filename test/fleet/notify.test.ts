import { expect, it } from 'vitest';
import { runNotify } from './notify.ts';

it('notifies the changed nodes of a fleet, each once, with few requests for each', async () => {
  const [small, large] = [await runNotify(250), await runNotify(1000)];
  expect(large).toMatchObject({ changed: 100, ran: 100, wrong: 0 });
  expect(small).toMatchObject({ changed: 25, ran: 25, wrong: 0 });
  expect(large.requests / large.changed).toBeLessThanOrEqual(14);
});

it('asks for a change what the change asks for, in a fleet of any size', async () => {
  const [small, large] = [await runNotify(250, 25), await runNotify(1000, 25)];
  expect([small.wrong, large.wrong]).toEqual([0, 0]);
  // Recompiled catalogs that are the same are read in larger turns, and nothing else.
  expect(large.requests - small.requests).toBeLessThanOrEqual(8);
});
