/**
 * A process that invalidates the nodes of an unfinished deploy, alone, on the embedded stores of a
 * directory: `node fan-out-worker.ts DIRECTORY`. It prints one JSON object a line: the requests of
 * each port and its peak memory, so that the last line counts when it is killed.
 */
import { readFileSync } from 'node:fs';
import { settleEnvironment } from '../../shared/fleet/fan-out/settle-environment.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { CountingStores } from './counting-stores.ts';

const REPORT_EVERY = 50;

const [, , directory = ''] = process.argv;
const stores = openEmbeddedStores(directory);
const counting = new CountingStores(stores);
let wants = 0;
const ports = {
  ...counting.stores,
  nodes: new Proxy(counting.stores.nodes, {
    get: (target, name) => {
      if (name === 'want' && ++wants % REPORT_EVERY === 0) report(false);
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  }),
  dependencies: counting.stores.dependencies,
  blobs: counting.stores.blobs,
  environments: counting.stores.environments,
  documents: counting.stores.documents,
  queue: counting.stores.queue,
  fanOut: counting.stores.fanOut,
};

function report(isDone: boolean): void {
  const peakMb = readPeakKilobytes() / 1024;
  process.stdout.write(`${JSON.stringify({ isDone, requests: counting.sum(), wants, peakMb })}\n`);
}

/** Of this program. `resourceUsage` counts that of the process, too, which started this one. */
function readPeakKilobytes(): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? Number.NaN);
}

await settleEnvironment('production', ports, 0);
report(true);
stores.close();
