/**
 * `npm run servers:week [-- --nodes N] [--days N] [--fleet N]`: counts the statements of works over
 * PostgreSQL, and extrapolates them to a fleet that runs each half hour. Then lets days pass for a
 * smaller fleet in simulated time, and prints the rows and sizes of tables, and their bloat.
 */
import { parseArgs } from 'node:util';
import { setup } from '../helpers/shared-postgres.ts';
import { type Statements, sumStatements } from '../helpers/statement-counts.ts';
import { countWorks } from './count-statements.ts';
import { simulateDays } from './simulate-week.ts';

const { values: options } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    days: { type: 'string', default: '7' },
    fleet: { type: 'string', default: '100000' },
  },
});
const [nodes = 0, days = 0, fleet = 0] = [options.nodes, options.days, options.fleet].map(Number);
if (![nodes, days, fleet].every((number) => number > 0)) {
  throw new Error('--nodes, --days and --fleet must be numbers above 0');
}

const RUN_SECONDS = 1800;
const RING_SECONDS = 86_400;
const COUNTED_NODES = 50;
const MEGABYTE = 2 ** 20;
const print = (line: string) => process.stdout.write(`${line}\n`);

function printRate(name: string, perSecond: number, { reads, writes, trips }: Statements): void {
  const rates = [reads, writes, trips].map((count) => (perSecond * count).toFixed(1).padStart(8));
  print(`${name.padEnd(34)} ${perSecond.toFixed(2).padStart(6)} ${rates.join(' ')}`);
}

function share({ reads, writes, transactions, trips }: Statements, by: number): Statements {
  return { reads: reads / by, writes: writes / by, transactions: transactions / by, trips: trips / by };
}

const stopPostgres = setup();
try {
  const works = await countWorks(COUNTED_NODES, 60_000);
  print(`${fleet} nodes, a run each half hour, a turn of the ring each day; a second:`);
  print(`${''.padEnd(34)}  works    reads   writes    trips`);
  printRate('runs that change nothing', fleet / RUN_SECONDS, sumStatements(works.run));
  printRate('nodes that the ring verifies', fleet / RING_SECONDS, share(sumStatements(works.ring), COUNTED_NODES));
  printRate('a server at rest', 1, share(sumStatements(works.rest ?? new Map()), 60));
  const deploy = share(sumStatements(works.deploy), COUNTED_NODES);
  print(
    `a deploy to all, at most: ${Math.round(fleet * deploy.writes)} writes, ${Math.round(fleet * deploy.trips)} round trips`,
  );
  const began = performance.now();
  const tables = await simulateDays(nodes, days);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  print(`\n${nodes} nodes after ${days} days, simulated in ${minutes} minutes:`);
  print('table                     rows       MB  of compact  kB a node');
  for (const { name, rows, bytes, compactBytes } of tables) {
    const bloat = `${Math.round((100 * bytes) / compactBytes)}%`;
    const columns = [String(rows).padStart(8), (bytes / MEGABYTE).toFixed(1).padStart(8), bloat.padStart(11)];
    print(`${name.padEnd(20)} ${columns.join(' ')} ${(bytes / 1024 / nodes).toFixed(2).padStart(10)}`);
  }
} finally {
  stopPostgres();
}
