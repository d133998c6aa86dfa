/**
 * A compile worker that takes a job that a node waits for and does not finish it, as if all workers
 * ran long compiles.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';

const stores = openEmbeddedStores(workerData.stores.directory);
parentPort?.once('message', () => process.exit(0));
const [received] = await stores.queue.receive(1, 60_000, undefined, ['waiting']);
if (received) parentPort?.postMessage({ kind: 'began', job: received });
// Blocks the thread: it receives no message, and runs until it is terminated.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
