import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EXPLORER_FLAGS, exploreWorlds } from './explore-worlds.ts';
import type { FoundBugs } from './find-bugs.ts';
import { BUGS } from './systems.ts';

/** `npm run interleave` explores 100,000. */
const RUNS = 10_000;
/** Small worlds that are begun at least: each has its fault at another call. */
const WORLDS = 350;
/** They and the bugs take less than a minute of CPU on an idle machine; other tests share it. */
const limits = { timeout: 1_800_000 };

it(
  'keeps what was accepted in every order of the calls of check-ins, deploys, workers, engines and schedules',
  limits,
  async ({ signal }) => {
    const request = { runs: RUNS, world: '', seed: 1, bug: null, isTraced: false, processes: 1 };
    const report = await exploreWorlds(request, signal);
    expect(report.failures).toEqual([]);
    expect(report.runs + report.redundant).toBeGreaterThanOrEqual(RUNS);
    expect(report.complete).toBeGreaterThan(0);
    expect(report.worlds).toBeGreaterThanOrEqual(WORLDS);
  },
);

it('finds a planted bug of each kind', limits, async ({ signal }) => {
  const found = await findBugs(signal);
  expect(Object.keys(found)).toEqual(Object.keys(BUGS));
  expect(Object.entries(found).filter(([, runs]) => runs === null)).toEqual([]);
});

function findBugs(signal: AbortSignal): Promise<FoundBugs> {
  const file = fileURLToPath(new URL('find-bugs.ts', import.meta.url));
  const child = fork(file, { execArgv: [...EXPLORER_FLAGS], signal });
  return new Promise((resolve, reject) => {
    child.on('message', (found) => resolve(found as FoundBugs));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the search for bugs ended with ${code}`)));
  });
}
