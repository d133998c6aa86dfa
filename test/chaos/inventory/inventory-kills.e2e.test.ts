import { expect, it } from 'vitest';
import { runKills } from './run-kills.ts';

it('applies each command once, whatever statement its process is killed at', async () => {
  const { kills, statements, stored, expected } = await runKills(2);
  expect(kills).toBe(2);
  expect(statements).toBeGreaterThan(50);
  expect(stored).toEqual(expected);
});
