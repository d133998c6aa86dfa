import { type MessagePort, parentPort } from 'node:worker_threads';
import type { WorkerContext } from '../../fleet/compiles/worker-context.ts';
import { evaluateInThread } from './evaluate-in-thread.ts';
import type { PlanOrder } from './plan-thread.ts';
import { ThreadHost } from './thread-host.ts';
import type { ThreadPost } from './thread-messages.ts';

/** The part of a thread's `workerData` that is about its plan. */
export interface PlanThreadData {
  readonly order: PlanOrder;
  readonly answers: MessagePort;
  /** See `SHARED`. */
  readonly memory: Int32Array<SharedArrayBuffer>;
}

/** Evaluates the plan of this thread, and posts its end or the fault. `now`: any milliseconds. */
export async function runPlanThread(
  { order, answers, memory }: PlanThreadData,
  context: WorkerContext,
  now: () => number,
): Promise<void> {
  const post = (message: ThreadPost) => parentPort?.postMessage(message);
  const host = new ThreadHost({ answers, memory, post, now });
  try {
    post({ kind: 'end', end: await evaluateInThread(order, context, host) });
  } catch (error) {
    post({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
