import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runChaos } from './run-chaos.ts';

/**
 * One short campaign, for the edit loop: two kills in each half, and all checks at rest, which find
 * what every kill and fault leaves behind. Each start costs about a second of CPU; a longer run
 * repeats the same with other decisions, and belongs to `npm run chaos`.
 */
it('loses nothing and serves no wrong catalog, whenever its process is killed', async () => {
  const logFile = join(tmpdir(), `understudy-chaos-test-${process.pid}.log`);
  const { figures, violations } = await runChaos({ seed: 1, lives: 2, until: 0, logFile });
  expect(violations, `the log is ${logFile}`).toEqual([]);
  expect(figures.kills).toBe(8);
  expect(figures.catalogsAtRest).toBe(144);
});

it('reports a server that serves catalogs of other facts as current', async () => {
  const logFile = join(tmpdir(), `understudy-chaos-bug-${process.pid}.log`);
  const { figures, violations } = await runChaos({ seed: 1, lives: 8, until: 0, logFile, bug: 'skip-currency-check' });
  expect(violations.filter((violation) => /it has the facts/.test(violation))).not.toEqual([]);
  expect(figures.kills).toBeLessThanOrEqual(8);
});
