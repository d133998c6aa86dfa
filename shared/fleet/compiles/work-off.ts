import { QUEUES } from '../../config/deployment.ts';
import type { CompileQueue, ReceivedCompileJob } from '../../store/ports/compile-queue.ts';
import type { CompileJobReport } from './compile-job-report.ts';
import { type CompileObserver, processCompileJob } from './process-compile-job.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Does a received job and takes it out of the queue. One that met the lease of another stays in the
 * queue until that lease ends: by then whoever has it has built the node, and the job is dropped;
 * or has died, and the job compiles the node. Throws as `processCompileJob`; the job is in the
 * queue then.
 */
export async function workOff(
  received: ReceivedCompileJob,
  queue: CompileQueue,
  context: WorkerContext,
  tell?: CompileObserver,
): Promise<CompileJobReport> {
  const report = await processCompileJob(received.job, context, tell, received.id);
  const pauseMs = pauseUntil(report.heldUntil, context.stores.clock.now());
  if (pauseMs === null) await queue.acknowledge(received);
  else await queue.retryAfter(received, pauseMs);
  return report;
}

/** Milliseconds after which a job has to come again; null when it is done. */
export function pauseUntil(heldUntil: number | undefined, now: number): number | null {
  return heldUntil === undefined ? null : Math.max(0, heldUntil - now);
}

/**
 * Milliseconds after which a job comes again that met a fault. Many met the same one: they are
 * spread over the upper half.
 */
export function faultPause({ receiveCount }: Pick<ReceivedCompileJob, 'receiveCount'>, random: number): number {
  return 1000 * (QUEUES.retrySeconds[receiveCount - 1] ?? 0) * (0.5 + random / 2);
}
