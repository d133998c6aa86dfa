/**
 * `npm run interleave`: runs check-ins, deploys, exports, groups, stages, purges, feeders and
 * workers against the real code in every order that a bound allows, then in orders of chance, with
 * crashes, failing calls, jumping clocks, and doubled and late messages. Exits with 1 after a
 * violation.
 */
import { parseArgs } from 'node:util';
import { exploreWorlds, type Report } from './explore-worlds.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    world: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string' },
    trace: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
  },
});

const report = await exploreWorlds({
  runs: Number(values.runs),
  world: values.world,
  seed: Number(values.seed),
  bug: values.bug ?? null,
  isTraced: values.trace,
  processes: Number(values.processes),
});
print(report);
process.exitCode = report.failures.length === 0 ? 0 : 1;

function print({ runs, steps, redundant, worlds, complete, failures, seconds }: Report): void {
  for (const { name, message, schedule, replay } of failures) {
    console.log(`\n${name}: ${message}\n  ${schedule.join('\n  ')}\nAgain: ${replay}`);
  }
  const share = `${complete} of ${worlds} small worlds completely`;
  console.log(
    `${runs} interleavings with ${steps} steps in ${seconds.toFixed(1)} s (${redundant} cut short as equivalent), ${share}`,
  );
  console.log(failures.length === 0 ? 'No violation.' : `${failures.length} violations.`);
}
