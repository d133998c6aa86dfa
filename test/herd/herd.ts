/**
 * `npm run herd [-- --nodes N] [--workers N] [--sockets N] [--root DIR] [--json]`: a server in a
 * process of its own, and new nodes with certificates of their own that all ask for their catalogs
 * at once, over TLS. Each node exports and collects one type. `--root` measures the server of
 * another checkout. With `--json` it prints one object a line: {"measure", "value", "unit"}. The
 * times depend on the machine. Exit code 1 when a catalog is wrong.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Measure, measureOf } from '../fleet/measure.ts';
import { type HerdResult, runHerd } from './run-herd.ts';

const { values: options } = parseArgs({
  options: {
    nodes: { type: 'string', default: '600' },
    workers: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    sockets: { type: 'string', default: '1000' },
    root: { type: 'string' },
    json: { type: 'boolean' },
  },
});

const nodes = Number(options.nodes);
const { root } = options;
const result = await runHerd({
  nodes,
  workers: Number(options.workers),
  sockets: Number(options.sockets),
  ...(root === undefined ? {} : { root }),
});
for (const { measure, value, unit } of measuresOf(result)) {
  console.log(options.json ? JSON.stringify({ measure, value, unit }) : `${measure.padEnd(32)} ${value} ${unit}`);
}
for (const fault of [...result.faults, ...result.incomplete.map((name) => `${name}: not all exports`)].slice(0, 20)) {
  console.error(fault);
}
if (result.faults.length + result.incomplete.length > 0) process.exitCode = 1;

function measuresOf(herd: HerdResult): readonly Measure[] {
  return [
    ...[...herd.answers].map(([status, count]) => measureOf(`herd.answers.${status}`, count, 'answers')),
    measureOf('herd.early_503', herd.earlyRefusals, 'answers'),
    measureOf('herd.first_catalogs', herd.tookMs / 1000, 's'),
    measureOf('herd.status_p50', percentile(herd.statusMs, 0.5), 'ms'),
    measureOf('herd.status_p99', percentile(herd.statusMs, 0.99), 'ms'),
    measureOf('herd.status_max', percentile(herd.statusMs, 1), 'ms'),
    measureOf('herd.event_loop_lag_p99', herd.lagMs, 'ms'),
    measureOf('herd.until_quiet', herd.quietMs / 1000, 's'),
    measureOf('herd.jobs_per_node', herd.jobs / nodes, 'jobs/node'),
    measureOf('herd.compiles_per_node', herd.compiles / nodes, 'compiles/node'),
    measureOf('herd.wrong_catalogs', herd.faults.length, 'catalogs'),
    measureOf('herd.incomplete_catalogs', herd.incomplete.length, 'catalogs'),
    measureOf('herd.load_average', loadavg()[0] ?? 0, 'processes'),
  ];
}

/** The value below which a share of the ascending values lies. */
function percentile(ascending: readonly number[], share: number): number {
  const index = Math.max(0, Math.ceil(share * ascending.length) - 1);
  return ascending[index] ?? Number.NaN;
}
