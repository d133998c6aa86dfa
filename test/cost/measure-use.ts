import { type CountedInstallation, openCountedInstallation } from './installation.ts';
import { combineUse, type MeasuredUse, NO_USE, type Use } from './use.ts';

const [FEW, MANY] = [3, 9];

/** Counts what one node's work asks of the stores, against the emulators. */
export async function measureUse(): Promise<MeasuredUse> {
  const opened = await openCountedInstallation();
  try {
    return await measureAll(opened);
  } finally {
    await opened.close();
  }
}

async function measureAll(opened: CountedInstallation): Promise<MeasuredUse> {
  const { installation, counting } = opened;
  const certnames = Array.from({ length: MANY }, (_, index) => `web${index}.example.com`);
  const [first = ''] = certnames;
  await installation.deploy('first');
  for (const certname of certnames.slice(0, FEW)) await installation.run(certname, 'silver');
  await installation.turnRing();
  // The first compile of a process finds other first readers of some files than those after it.
  await installation.deploy('warm');
  // What a deploy and a round cost without regard to the nodes is the same for few and for many.
  const deployOfFew = await counting.during(() => installation.deploy('second'));
  const ringOfFew = await counting.during(() => installation.turnRing());
  for (const certname of certnames.slice(FEW)) await installation.run(certname, 'silver');
  await installation.turnRing();
  const deployOfMany = await counting.during(() => installation.deploy('third'));
  const ringOfMany = await counting.during(() => installation.turnRing());
  const { run, second } = await measureDay(opened, first, certnames[1] ?? '');
  const check = await counting.during(() => installation.check(first, 'silver'));
  const facts = await counting.during(() => installation.check(first, 'silver', 'red'));
  await installation.check(first, 'silver');
  const changed = await counting.during(() => installation.check(first, 'gold'));
  const unchanged = await counting.during(() => installation.report(first, 'unchanged'));
  const report = await counting.during(() => installation.report(first, 'changed'));
  await installation.prune();
  const pruneOfMany = await counting.during(() => installation.prune());
  await installation.forget(certnames.slice(FEW));
  const pruneOfFew = await counting.during(() => installation.prune());
  return {
    run,
    second,
    report: combineUse(report, unchanged, atLeastNothing),
    compile: combineUse(changed, check, atLeastNothing),
    deploy: ofOneNode(deployOfMany, deployOfFew),
    ring: ofOneNode(ringOfMany, ringOfFew),
    facts: combineUse(facts, check, atLeastNothing),
    prune: ofOneNode(pruneOfMany, pruneOfFew),
  };
}

/**
 * A virtual day of two nodes whose agents run every half hour, one right after the other: the
 * former also reads what the runs of a second share.
 */
async function measureDay(
  { installation, counting }: CountedInstallation,
  former: string,
  latter: string,
): Promise<Pick<MeasuredUse, 'run' | 'second'>> {
  const runs = 48;
  for (const certname of [former, latter]) await installation.run(certname, 'silver');
  let [all, own] = [NO_USE, NO_USE];
  for (let run = 0; run < runs; run += 1) {
    await installation.pass(30);
    all = combineUse(all, await counting.during(() => installation.run(former, 'silver')), sum);
    own = combineUse(own, await counting.during(() => installation.run(latter, 'silver')), sum);
  }
  await installation.pass(30);
  const second = combineUse(all, own, atLeastNothing);
  const mean = (use: Use) => combineUse(use, NO_USE, (total) => total / runs);
  return { run: mean(own), second: mean(second) };
}

function sum(a: number, b: number): number {
  return a + b;
}

function ofOneNode(many: Use, few: Use): Use {
  return combineUse(many, few, (a, b) => Math.max(0, a - b) / (MANY - FEW));
}

function atLeastNothing(a: number, b: number): number {
  return Math.max(0, a - b);
}
