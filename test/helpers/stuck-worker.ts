/**
 * A compile worker that takes every job there is, and never ends one: as long compiles in all
 * workers.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';

const stores = openEmbeddedStores(workerData.directory);
parentPort?.once('message', () => process.exit(0));
const [received] = await stores.queue.receive(1, 60_000);
if (received) parentPort?.postMessage({ kind: 'began', job: received });
// The thread is blocked from here on; it takes no message, and ends when it is ended.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
