/**
 * `npm run fuzz -- [requests] [seed]`: sends malformed requests through the app, and as many
 * malformed frames to a PCP broker, and prints the results.
 */
import { fuzzBroker } from './fuzz-broker.ts';
import { fuzzFrontDoor } from './fuzz-front-door.ts';

const [requests = '100000', seed = '1'] = process.argv.slice(2);
const { faults, unlogged, heapGrowth, unsendable, byStatus } = await fuzzFrontDoor(Number(requests), Number(seed));
process.stdout.write(`${requests} requests, seed ${seed}; ${unsendable} of them with an invalid URL\n`);
for (const [status, count] of Object.entries(byStatus)) process.stdout.write(`${status}: ${count}\n`);
process.stdout.write(`faults: ${faults.length}, of them not logged: ${unlogged.length}\n`);
process.stdout.write(`heap kept after the second half: ${Math.round(heapGrowth / 1024)} KiB\n`);
process.stdout.write(`peak resident: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`);
for (const { request, cause } of faults.slice(0, 5)) {
  process.stdout.write(`${request.method} ${request.url.slice(0, 300)}\n  ${causeText(cause)}\n`);
}
const broker = fuzzBroker(Number(requests), Number(seed));
process.stdout.write(`\n${requests} frames to the PCP broker, seed ${seed}\n`);
for (const [answer, count] of Object.entries(broker.byAnswer)) process.stdout.write(`${answer}: ${count}\n`);
process.stdout.write(`faults: ${broker.faults.length}, disturbances of others: ${broker.disturbances}\n`);
for (const { frame, cause } of broker.faults.slice(0, 5)) process.stdout.write(`${frame}\n  ${causeText(cause)}\n`);
const failures = faults.length + unlogged.length + broker.faults.length + broker.disturbances;
process.exitCode = failures > 0 ? 1 : 0;

function causeText(cause: unknown): string {
  const [, error] = Array.isArray(cause) ? cause : [cause, cause];
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
