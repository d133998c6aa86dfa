/**
 * `npm run servers [-- --minutes N] [--servers N] [--nodes N] [--agents N] [--seed N] [--log FILE]
 * [--json]`: runs servers side by side over a PostgreSQL with a synchronous standby, behind
 * haproxy, and kills one after another. Simulated nodes (2,000) and real agents (three, where
 * Puppet is installed) check in meanwhile, and jobs run on the real ones. Prints a table; exits
 * with 1 on a violation, with the log that explains it.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPuppet } from '../helpers/puppet.ts';
import { runServers } from './run-servers.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '15' },
    servers: { type: 'string', default: '3' },
    nodes: { type: 'string', default: '2000' },
    agents: { type: 'string', default: hasPuppet() ? '3' : '0' },
    log: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [seed, minutes, servers, nodes] = [options.seed, options.minutes, options.servers, options.nodes].map(Number);
if (![seed, minutes, servers, nodes].every((number) => Number(number) > 0)) {
  throw new Error('--seed, --minutes, --servers and --nodes must be numbers above 0');
}
const logFile = options.log ?? join(tmpdir(), `understudy-servers-${seed}.log`);
const began = performance.now();
const { figures, disturbances, violations, ...others } = await runServers({
  ...{
    seed: seed ?? 1,
    servers: servers ?? 3,
    nodes: nodes ?? 2000,
    realAgents: Number(options.agents),
    logFile,
    parent: tmpdir(),
  },
  disturbances: Number.MAX_SAFE_INTEGER,
  until: began + 60_000 * (minutes ?? 15),
});
const rows = {
  seed,
  minutes: Number(((performance.now() - began) / 60_000).toFixed(1)),
  ...disturbances,
  ...Object.fromEntries(Object.entries({ ...figures, ...others }).map(([name, value]) => [name, Math.round(value)])),
  violations: violations.length,
};
if (options.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else for (const [name, value] of Object.entries(rows)) process.stdout.write(`${name.padEnd(22)} ${value}\n`);
for (const violation of violations.slice(0, 20)) process.stderr.write(`${violation.slice(0, 1000)}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
