/**
 * `npm run neighbour [-- --seconds N] [--kind NAME]...`: how much one hostile client of each kind
 * slows down a polite node: the median and the 99th percentile of its requests in milliseconds,
 * before and meanwhile. The aim: the 99th percentile rises to at most three times, or by at most
 * 250 ms. Exits with 1 when a request of the polite node fails.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type NeighbourResult, runNeighbour } from './run-neighbour.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    kind: { type: 'string', multiple: true, default: [] },
  },
});

const AIM = { factor: 3, addedMs: 250 };
const COLUMNS = ['quiet p50', 'p99', 'disturbed p50', 'p99', 'requests', 'hostile answers', 'aim'];

function print(name: string, cells: readonly string[]): void {
  process.stdout.write(`${name.padEnd(24)}${cells.map((cell) => cell.padStart(16)).join('')}\n`);
}

function show({ kind, quiet, disturbed, hostileAnswers, failures }: NeighbourResult): void {
  const times = [quiet.p50, quiet.p99, disturbed.p50, disturbed.p99].map((ms) => ms.toFixed(1));
  const isMet = disturbed.p99 <= Math.max(AIM.factor * quiet.p99, quiet.p99 + AIM.addedMs);
  print(kind, [...times, String(disturbed.requests), String(hostileAnswers), isMet ? 'met' : 'missed']);
  for (const failure of new Set(failures)) process.stderr.write(`  failed: ${failure}\n`);
  if (failures.length > 0) process.exitCode = 1;
}

print('', COLUMNS);
await runNeighbour({ seconds: Number(options.seconds), kinds: options.kind, onResult: show });
process.stdout.write(`load average of the machine: ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
