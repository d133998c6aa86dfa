/**
 * `npm run chaos [-- --seed N] [--minutes N | --seconds N] [--log FILE] [--json]
 * [--bug NAME]`: runs the server under agents, deploys, store faults, SIGKILL and SIGABRT, and
 * compares every catalog with a model. Prints a table; exits with 1 on a violation, with the seed
 * and the log that explains it. A seed repeats the decisions; what happens at the same time is the
 * machine's. `--bug` plants a bug of `bugs/` in the server, to see what the run reports of it.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUGS, isPlantedBug } from './plant-bug.ts';
import { runChaos } from './run-chaos.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '15' },
    seconds: { type: 'string' },
    lives: { type: 'string', default: '8' },
    log: { type: 'string' },
    json: { type: 'boolean' },
    bug: { type: 'string' },
  },
});

const seed = Number(options.seed);
const seconds = options.seconds === undefined ? 60 * Number(options.minutes) : Number(options.seconds);
if (!Number.isInteger(seed) || !(seconds > 0)) throw new Error('--seed, --minutes and --seconds must be numbers');
const { bug } = options;
if (bug !== undefined && !isPlantedBug(bug)) throw new Error(`--bug must be one of ${Object.keys(BUGS).join(', ')}`);
const logFile = options.log ?? join(tmpdir(), `understudy-chaos-${seed}.log`);
const began = performance.now();
const { figures, campaigns, violations } = await runChaos({
  seed,
  lives: Number(options.lives),
  until: began + 1000 * seconds,
  logFile,
  bug,
});
const rows = {
  seed,
  campaigns,
  minutes: Number(((performance.now() - began) / 60_000).toFixed(1)),
  ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)])),
  violations: violations.length,
};
if (options.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else for (const [name, value] of Object.entries(rows)) process.stdout.write(`${name.padEnd(22)} ${value}\n`);
for (const violation of violations.slice(0, 20)) process.stderr.write(`${violation.slice(0, 1000)}\n`);
if (violations.length > 0) {
  process.stderr.write(`The log is ${logFile}; npm run chaos -- --seed ${seed} repeats the decisions.\n`);
  process.exitCode = 1;
}
