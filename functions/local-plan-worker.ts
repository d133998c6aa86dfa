/** The thread of one plan of `npm start`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { PlanWorkerData } from '../shared/local/plan-threads.ts';
import { openWorkerStores } from '../shared/local/server-stores.ts';
import { evaluateInThread } from '../shared/orchestrator/plan-runs/evaluate-in-thread.ts';
import { ThreadHost } from '../shared/orchestrator/plan-runs/thread-host.ts';
import type { ThreadPost } from '../shared/orchestrator/plan-runs/thread-messages.ts';
import { createThreadContext } from './thread-context.ts';

async function main(data: PlanWorkerData): Promise<void> {
  const { order, answers, memory } = data;
  const stores = await openWorkerStores(data.stores);
  const post = (message: ThreadPost) => parentPort?.postMessage(message);
  const context = createThreadContext(data, { stores });
  const host = new ThreadHost({ answers, memory, post, now: () => performance.now() });
  try {
    post({ kind: 'end', end: await evaluateInThread(order, context, host) });
  } catch (error) {
    post({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

await main(workerData);
