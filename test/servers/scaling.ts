/**
 * `npm run servers:scaling [-- --nodes N] [--servers N] [--rounds N]`: 1, 2 and more servers over
 * one PostgreSQL, with one worker and N nodes each. All nodes ask for a new catalog; prints what a
 * catalog costs in CPU. Exits with 1 when it costs over 15% more than with one server.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { setup } from '../helpers/shared-postgres.ts';
import { type CatalogCost, measureCatalogs } from './measure-catalogs.ts';

const { values: options } = parseArgs({
  options: {
    nodes: { type: 'string', default: '60' },
    servers: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '4' },
  },
});
const [nodes = 0, servers = 0, rounds = 0] = [options.nodes, options.servers, options.rounds].map(Number);
if (![nodes, servers, rounds].every((number) => number > 0)) {
  throw new Error('--nodes, --servers and --rounds must be numbers above 0');
}

const MOST = 1.15;
const stopPostgres = setup();
const costs: CatalogCost[] = [];
try {
  for (let count = 1; count <= servers; count += 1) costs.push(await measureCatalogs(count, nodes, rounds));
} finally {
  stopPostgres();
}
const [first] = costs;
process.stdout.write(`${nodes} nodes a server, ${rounds} rounds, load ${loadavg()[0]?.toFixed(1)}\n`);
process.stdout.write('servers  CPU ms a catalog  of one server  PostgreSQL  catalogs a second\n');
for (const [index, { serverMs, databaseMs, rate }] of costs.entries()) {
  const share = `${Math.round((100 * serverMs) / (first?.serverMs ?? 1))}%`;
  const columns = [serverMs.toFixed(1).padStart(16), share.padStart(13), databaseMs.toFixed(1).padStart(10)];
  process.stdout.write(`${String(index + 1).padEnd(7)}  ${columns.join('  ')}  ${rate.toFixed(1).padStart(17)}\n`);
}
process.exitCode = costs.some(({ serverMs }) => serverMs > MOST * (first?.serverMs ?? 0)) ? 1 : 0;
