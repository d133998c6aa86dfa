/**
 * `npm run pcp-herd [-- --agents N] [--nodes N] [--signal SIGTERM|SIGKILL] [--json]`: a server with
 * connected PXP agents is ended and started again. All agents come back at once, as pxp-agent does,
 * while nodes ask for catalogs over new connections. Exit code 1 when a catalog is not answered.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Measure, measureOf } from '../fleet/measure.ts';
import { runPcpHerd } from './run-pcp-herd.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '2000' },
    nodes: { type: 'string', default: '10' },
    signal: { type: 'string', default: 'SIGKILL' },
    json: { type: 'boolean' },
  },
});

const herd = await runPcpHerd({
  agents: Number(options.agents),
  nodes: Number(options.nodes),
  timeScale: 1,
  signal: options.signal === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL',
});
const at = (share: number, times = herd.catalogMs) => times[Math.ceil(share * times.length) - 1] ?? Number.NaN;
const measures: readonly Measure[] = [
  ...[...herd.answers].map(([status, count]) => measureOf(`pcp_herd.catalogs.${status}`, count, 'answers')),
  measureOf('pcp_herd.catalog_p50', at(0.5), 'ms'),
  measureOf('pcp_herd.catalog_p99', at(0.99), 'ms'),
  measureOf('pcp_herd.catalog_max', at(1), 'ms'),
  measureOf('pcp_herd.calm_catalog_p50', at(0.5, herd.calmMs), 'ms'),
  measureOf('pcp_herd.calm_catalog_p99', at(0.99, herd.calmMs), 'ms'),
  measureOf('pcp_herd.all_agents_back', herd.backMs / 1000, 's'),
  measureOf('pcp_herd.connects', herd.connects, 'connections'),
  measureOf('pcp_herd.failed_tries', herd.failures, 'tries'),
  measureOf('pcp_herd.load_average', loadavg()[0] ?? 0, 'processes'),
];
for (const { measure, value, unit } of measures) {
  console.log(options.json ? JSON.stringify({ measure, value, unit }) : `${measure.padEnd(28)} ${value} ${unit}`);
}
if ([...herd.answers.keys()].some((status) => status !== 200)) process.exitCode = 1;
