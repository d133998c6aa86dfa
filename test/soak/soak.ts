/**
 * `npm run soak [-- --minutes N] [--every SECONDS] [--clients N] [--seed N] [--json]`: runs the
 * server under a mixed load for a long time: catalogs, facts, reports, files and deploys, and
 * between them malformed requests, large facts, bodies that are cut off and clients that vanish.
 * Prints the memory, descriptors and threads of the process, and how long catalogs take, every 30
 * seconds; with `--json` one object in the end. Exits with 1 when the server ends or something
 * grows without end. Linux only.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { runSoak, type SoakSample } from './run-soak.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    every: { type: 'string', default: '30' },
    clients: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const COLUMNS = ['second', 'residentMb', 'descriptors', 'threads', 'requests', 'p50Ms', 'p99Ms'] as const;
const print = (line: string) => {
  if (!options.json) process.stdout.write(`${line}\n`);
};
const rowOf = (sample: Partial<SoakSample>) => COLUMNS.map((name) => String(sample[name] ?? '-').padStart(11)).join('');

print(COLUMNS.map((name) => name.padStart(11)).join(''));
const result = await runSoak({
  seed: Number(options.seed),
  minutes: Number(options.minutes),
  everySeconds: Number(options.every),
  clients: Number(options.clients),
  onSample: (sample) => print(rowOf(sample)),
});
print(`${rowOf(result.idle)}  idle`);
print(`answers by status (0: none wanted, or cut): ${JSON.stringify(result.byStatus)}`);
print(`load average of the machine: ${(loadavg()[0] ?? 0).toFixed(1)}`);
if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
for (const fault of result.faults) process.stderr.write(`${fault}\n`);
if (result.faults.length > 0) process.exitCode = 1;
