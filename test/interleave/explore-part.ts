/** A process of `exploreWorlds`: explores its part of the worlds, and sends the report. */
import './synchronous-node.ts';
import { type Exploration, exploreAll, exploreAtRandom, type WorldFamily } from './explore.ts';
import type { FoundFailure, PartRequest, Report } from './explore-worlds.ts';
import type { RunOptions } from './site-run.ts';
import { BUGS, beginLarge, listWorlds } from './systems.ts';
import { chanceOf, Sites } from './worlds.ts';

/**
 * The share of the runs in light worlds, whose jobs verify and do not compile, and in all small
 * ones.
 */
const LIGHT_SHARE = 0.88;
const SMALL_SHARE = 0.99;
/** The worlds of a family with faults, about, and the runs that each has at least. */
const USUAL_WORLDS = 30;
const LEAST_RUNS = 2;
const LONGEST_SCHEDULE = 400;

const request = JSON.parse(process.argv[2] ?? '') as PartRequest;
const { part, processes, bug } = request;
const plant = bug === null ? undefined : BUGS[bug];
if (bug !== null && plant === undefined) throw new Error(`there is no bug '${bug}': ${Object.keys(BUGS).join(', ')}`);
const options: RunOptions = {
  ...plant,
  ...(request.isTraced && { trace: (line: string) => console.log(line) }),
};
// Of damaged blobs, in worlds that damage them.
if (!request.isTraced) console.warn = () => undefined;
const sites = new Sites();
const total = { runs: 0, redundant: 0, steps: 0, worlds: 0, complete: 0 };
const failures: FoundFailure[] = [];
const isOver = () => bug !== null && failures.length > 0;

await main();
await sites.close();
process.send?.({ ...total, failures, seconds: 0 } satisfies Report, () => process.exit());

async function main(): Promise<void> {
  const all = listWorlds(sites, options).flatMap((family) => {
    const worlds = family.worlds.filter(({ name }) => name.includes(request.world));
    return worlds.length > 0 ? [{ ...family, worlds }] : [];
  });
  const mine = all.filter((_, index) => index % processes === part);
  const runs = Math.ceil(request.runs / processes);
  if (!request.isTraced) {
    const light = mine.filter(({ isLight }) => isLight);
    const other = mine.filter(({ isLight }) => !isLight);
    await exploreSmall(light, request.world ? runs : runs * LIGHT_SHARE);
    // With what complete worlds left.
    await exploreSmall(other, request.world ? runs : runs * SMALL_SHARE - total.runs - total.redundant);
    if (request.world) return;
  }
  await exploreLarge(Math.max(0, request.isTraced ? 1 : runs - total.runs - total.redundant));
}

/**
 * Explores each family as long as its share of the runs lasts; what one leaves goes to the next
 * ones.
 */
async function exploreSmall(families: readonly WorldFamily[], runs: number): Promise<void> {
  let left = Math.floor(runs);
  for (const [index, family] of families.entries()) {
    if (isOver()) return;
    const most = request.world ? left : (family.mostRuns ?? left);
    const share = Math.min(most, Math.ceil(left / (families.length - index)));
    left = Math.max(0, left - (await exploreFamily(family, share)));
  }
}

/** Returns the number of runs. */
async function exploreFamily({ worlds }: WorldFamily, runs: number): Promise<number> {
  let left = runs;
  for (const [index, world] of worlds.entries()) {
    // Most families have fewer worlds than there may be.
    const share =
      worlds.length === 1 ? left : Math.max(LEAST_RUNS, Math.ceil(left / Math.max(1, USUAL_WORLDS - index)));
    const found = await exploreAll(world, share);
    if (found.runs === 0) break;
    left -= found.runs + found.redundant;
    count(found);
    total.worlds += 1;
    if (found.isComplete) total.complete += 1;
    note(world.name, found, `npm run interleave -- --world '${world.name}'`);
    if (isOver() || left <= 0) break;
  }
  return runs - left;
}

async function exploreLarge(runs: number): Promise<void> {
  let left = runs;
  let seed = request.seed + part * 10_000_000;
  while (left > 0 && !isOver()) {
    const found = await exploreAtRandom((one) => beginLarge(sites, one, options), seed, left, chanceOf);
    count(found);
    left -= found.runs;
    seed = found.seed + 1;
    note(`large world ${found.seed}`, found, `npm run interleave -- --trace --processes 1 --seed ${found.seed}`);
  }
}

function count({ runs, redundant, steps }: Exploration): void {
  total.runs += runs;
  total.redundant += redundant;
  total.steps += steps;
}

function note(name: string, { failure }: Exploration, replay: string): void {
  if (failure === null) return;
  const { error } = failure;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const known = bug === null ? '' : ` --bug '${bug}'`;
  failures.push({ name, message, schedule: failure.schedule.slice(0, LONGEST_SCHEDULE), replay: `${replay}${known}` });
}
