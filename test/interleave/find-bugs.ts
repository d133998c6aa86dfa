/** A process that plants each bug, and explores until it is found; sends the runs that it took. */
import './synchronous-node.ts';
import { exploreAll, exploreAtRandom } from './explore.ts';
import { BUGS, listWorldsOfBug } from './systems.ts';
import { NO_CHANCE, Sites } from './worlds.ts';

/** The runs after which a bug was found, by its name; null when it was not. */
export type FoundBugs = Readonly<Record<string, number | null>>;

const RUNS_A_ROUND = 10;
const ROUNDS = 60;
const RUNS_IN_ORDER = 3000;
const WORLDS_A_FAMILY = 30;

const sites = new Sites();
const found: Record<string, number | null> = {};
const wanted = process.argv.slice(2);
for (const bug of wanted.length > 0 ? wanted : Object.keys(BUGS)) {
  found[bug] = await find(bug);
  if (!process.send) console.log(`${bug}: ${found[bug] === null ? 'not found' : `found after ${found[bug]} runs`}`);
}
await sites.close();
if (process.send) process.send(found, () => process.exit());
else process.exit();

async function find(bug: string): Promise<number | null> {
  if (!BUGS[bug]) throw new Error(`there is no bug '${bug}'`);
  let runs = 0;
  try {
    const families = listWorldsOfBug(sites, bug);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const world of families.flatMap(({ worlds }) => worlds.slice(0, WORLDS_A_FAMILY))) {
        const found = await exploreAtRandom(
          () => world.begin(),
          1 + round * RUNS_A_ROUND,
          RUNS_A_ROUND,
          () => NO_CHANCE,
        );
        runs += found.runs;
        if (found.failure) return runs;
      }
    }
    for (const world of families.flatMap(({ worlds }) => worlds.slice(0, WORLDS_A_FAMILY))) {
      const found = await exploreAll(world, RUNS_IN_ORDER);
      runs += found.runs;
      if (found.failure) return runs;
    }
    return null;
  } finally {
    // What one bug leaves known of a site does not hold for the next.
    await sites.renew();
  }
}
