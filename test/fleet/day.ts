import { openCountedInstallation } from '../cost/installation.ts';
import { combineUse, NO_USE, UNITS, type Use } from '../cost/use.ts';
import { type Measure, measureOf } from './measure.ts';

const MINUTES = 30;
/** Runs of an agent in a day. */
const RUNS = 48;
/** Sizes from which follows what a day asks of the stores without regard to the nodes. */
const SMALL = [6, 12] as const;

const KINDS = ['runs', 'facts', 'reports', 'deploy', 'ring'] as const;
type Day = Record<(typeof KINDS)[number], Use>;

/**
 * Counts what a virtual day of fleets of these sizes asks of the stores of AWS, for a node: runs
 * each half hour, a changed fact and the report of the run after it, a deploy at noon that changes
 * all catalogs, and the ring. What is the same for any fleet is printed by itself.
 */
export async function measureDays(
  sizes: readonly number[],
  runs = RUNS,
  [fewNodes, moreNodes]: readonly [number, number] = SMALL,
): Promise<readonly Measure[]> {
  const [few, more] = [await countDay(fewNodes, runs), await countDay(moreNodes, runs)];
  const fixed = mapDay((kind) => {
    const node = combineUse(more[kind], few[kind], (a, b) => (a - b) / (moreNodes - fewNodes));
    return combineUse(few[kind], node, (all, one) => all - fewNodes * one);
  });
  const measures = listMeasures('fixed', fixed, 'a day');
  for (const nodes of sizes) {
    const day = await countDay(nodes, runs);
    const node = mapDay((kind) => combineUse(day[kind], fixed[kind], (all, same) => (all - same) / nodes));
    measures.push(...listMeasures(String(nodes), node, 'a node and day'));
  }
  return measures;
}

async function countDay(nodes: number, runs: number): Promise<Day> {
  const { installation, counting, close } = await openCountedInstallation({ holdMs: 0 });
  const day = mapDay(() => NO_USE);
  const count = async (kind: (typeof KINDS)[number], work: () => Promise<unknown>) => {
    day[kind] = combineUse(day[kind], await counting.during(work), (a, b) => a + b);
  };
  const certnames = Array.from({ length: nodes }, (_, index) => `web${String(index).padStart(7, '0')}.example.com`);
  try {
    await installation.deploy('first');
    for (const certname of certnames) await installation.check(certname, 'silver');
    // The first deploy and the first runs fill caches.
    await installation.deploy('warm');
    for (const certname of certnames) await installation.run(certname, 'silver');
    await installation.turnRing();
    for (let run = 0; run < runs; run += 1) {
      await count('runs', () => installation.pass(MINUTES));
      if (run === runs / 2) await count('deploy', () => installation.deploy('second'));
      for (const [index, certname] of certnames.entries()) {
        const changesAt = index % (runs - 1);
        await count('runs', () => installation.list(certname));
        const tier = run < changesAt ? 'silver' : 'gold';
        await count(run === changesAt ? 'facts' : 'runs', () => installation.check(certname, tier));
        const isChanged = run === changesAt + 1;
        await count(isChanged ? 'reports' : 'runs', () =>
          installation.report(certname, isChanged ? 'changed' : 'unchanged'),
        );
      }
      await count('ring', () => installation.turnRing(MINUTES));
    }
    return day;
  } finally {
    await close();
  }
}

function mapDay(use: (kind: (typeof KINDS)[number]) => Use): Day {
  return Object.fromEntries(KINDS.map((kind) => [kind, use(kind)])) as Day;
}

function listMeasures(size: string, day: Day, per: string): Measure[] {
  return KINDS.flatMap((kind) =>
    UNITS.map((unit) => measureOf(`day.${kind}.${unit}.${size}`, day[kind][unit], `${unit} ${per}`)),
  );
}
