/**
 * A compile worker of `npm start`: a thread with its own stores that takes jobs from the queue
 * until it has to stop.
 */
import { loadavg } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { listOpenQueues } from '../shared/fleet/compiles/load-gate.ts';
import { runWorker } from '../shared/fleet/compiles/worker-loop.ts';
import { connectInventory } from '../shared/local/inventory-bridge.ts';
import { keepMemoryAtRest } from '../shared/local/memory-at-rest.ts';
import { openWorkerStores } from '../shared/local/server-stores.ts';
import type { WorkerData, WorkerPost } from '../shared/local/worker-message.ts';
import { createThreadContext } from './thread-context.ts';

async function main(data: WorkerData): Promise<void> {
  const { stores: way, inventory, maxLoad, timing } = data;
  const stores = await openWorkerStores(way);
  const stopping = new AbortController();
  parentPort?.once('message', () => stopping.abort());
  const context = createThreadContext(data, { stores, inventory: inventory && connectInventory(inventory) });
  keepMemoryAtRest(stores.clock, stopping.signal);
  const post = (message: WorkerPost) => parentPort?.postMessage(message);
  await runWorker(
    {
      context,
      queue: stores.queue,
      documents: stores.documents,
      changes: stores.changes,
      invalidate: stores,
      timing,
      doorbell: stores.doorbell,
      listQueues: () => listOpenQueues({ maxLoad, readLoad: () => loadavg()[0] ?? 0 }),
    },
    {
      onStart: (job) => post({ kind: 'began', job }),
      onReport: (report) => post({ kind: 'report', report, missingPacks: context.snapshots.takeMissingPacks() }),
      onFault: (error, job) => post({ kind: 'fault', certname: job?.job.certname ?? null, message: textOf(error) }),
    },
    stopping.signal,
  );
  await stores.close();
  process.exit(0);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

await main(workerData);
