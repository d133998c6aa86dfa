/**
 * `npm run task-herd [-- --agents N] [--json]`: runs one task on all connected PXP agents of a
 * server. A task takes half a second; the rest is the time of the orchestrator and the broker.
 * Exit code 1 when it did not succeed on each node.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureOf } from '../fleet/measure.ts';
import { runTaskHerd } from './run-task-herd.ts';

const { values: options } = parseArgs({
  options: { agents: { type: 'string', default: '10000' }, json: { type: 'boolean' } },
});
const agents = Number(options.agents);
const { jobMs, cpuMs, nodeMs, states } = await runTaskHerd(agents);
const at = (share: number) => nodeMs[Math.ceil(share * nodeMs.length) - 1] ?? Number.NaN;
const measures = [
  ...[...states].map(([state, count]) => measureOf(`task_herd.nodes.${state}`, count, 'nodes')),
  measureOf('task_herd.job', jobMs / 1000, 's'),
  measureOf('task_herd.node_p50', at(0.5), 'ms'),
  measureOf('task_herd.node_p99', at(0.99), 'ms'),
  measureOf('task_herd.node_max', at(1), 'ms'),
  measureOf('task_herd.server_cpu', cpuMs / agents, 'ms/node'),
  measureOf('task_herd.load_average', loadavg()[0] ?? 0, 'processes'),
];
for (const { measure, value, unit } of measures) {
  console.log(options.json ? JSON.stringify({ measure, value, unit }) : `${measure.padEnd(28)} ${value} ${unit}`);
}
if (states.get('finished') !== agents) process.exitCode = 1;
