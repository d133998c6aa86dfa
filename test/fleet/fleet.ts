/**
 * `npm run fleet [-- --json] [--only THEME]... [--list]`: counts what a fleet asks of the stores:
 * requests, rows, jobs and bytes, which are the same on any machine. With `--json` it prints one
 * object a line: {"measure", "value", "unit"}. `--only day` counts a virtual day of fleets, and
 * `--only deploy-dynamodb` invalidates a fleet in an emulator of DynamoDB. These two take minutes
 * to hours.
 */
import { parseArgs } from 'node:util';
import { measureColdCompiles } from './cold.ts';
import { measureDays } from './day.ts';
import { measureDependencies } from './dependencies.ts';
import { measureDeploys } from './deploy.ts';
import { measureDynamoDeploy } from './deploy-dynamodb.ts';
import { measureExports } from './exports.ts';
import { measureGroups } from './groups.ts';
import { measureJobs } from './jobs.ts';
import type { Measure } from './measure.ts';
import { measureNotify } from './notify.ts';
import { measureRuns } from './runs.ts';

/** The themes in the order of the output. */
const THEMES: Readonly<Record<string, () => Promise<readonly Measure[]>>> = {
  runs: measureRuns,
  dependencies: measureDependencies,
  exports: measureExports,
  cold: () => measureColdCompiles([6000, 50_000]),
  deploy: () => measureDeploys(),
  jobs: () => measureJobs(),
  groups: () => measureGroups([250, 1000, 4000]),
  notify: () => measureNotify([250, 1000, 4000]),
};

/** Themes that take minutes: only on request. */
const LONG_THEMES: typeof THEMES = {
  day: () => measureDays([250, 1000, 4000]),
  'deploy-dynamodb': () => measureDynamoDeploy(),
};
const ALL_THEMES = { ...THEMES, ...LONG_THEMES };

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, only: { type: 'string', multiple: true }, list: { type: 'boolean' } },
});

const names = options.only ?? Object.keys(THEMES);
const unknown = names.filter((name) => ALL_THEMES[name] === undefined);
if (options.list) console.log(Object.keys(ALL_THEMES).join('\n'));
else if (unknown.length > 0) {
  console.error(`There is no theme '${unknown[0]}'; the themes are ${Object.keys(ALL_THEMES).join(', ')}`);
  process.exitCode = 1;
} else await run();

async function run(): Promise<void> {
  for (const name of names) {
    for (const measure of (await ALL_THEMES[name]?.()) ?? []) console.log(print(measure));
  }
}

function print({ measure, value, unit }: Measure): string {
  return options.json ? JSON.stringify({ measure, value, unit }) : `${measure.padEnd(40)} ${value} ${unit}`;
}
