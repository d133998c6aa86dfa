import { QUEUES } from '../../config/deployment.ts';
import type { CompileJob, CompileQueue, ReceivedCompileJob } from '../../store/ports/compile-queue.ts';
import type { CompileJobReport } from './compile-job-report.ts';
import { type CompileObserver, processCompileJob } from './process-compile-job.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Processes a received job and acknowledges it. If another worker has the node's lease, the job
 * stays in the queue until that lease ends. By then either the node is built and the job is
 * dropped, or that worker died and the job compiles the node. If the node may be compiled only
 * later, another job replaces this one. Throws like `processCompileJob`; the job then stays in the
 * queue.
 */
export async function workOff(
  received: ReceivedCompileJob,
  queue: CompileQueue,
  context: WorkerContext,
  tell?: CompileObserver,
): Promise<CompileJobReport> {
  const report = await processCompileJob(received.job, context, tell, received.id);
  await sendDeferred(received.job, report, queue);
  const pauseMs = pauseUntil(report.heldUntil, context.stores.clock.now());
  if (pauseMs === null) await queue.acknowledge(received);
  else await queue.retryAfter(received, pauseMs);
  return report;
}

/**
 * Sends a job for the time from which the node may be compiled, if this one came before. A job that
 * is received again and again would become a dead letter.
 */
export async function sendDeferred(
  { certname, generation, reason, at }: CompileJob,
  { deferredUntil: notBefore }: Pick<CompileJobReport, 'deferredUntil'>,
  queue: Pick<CompileQueue, 'send'>,
): Promise<void> {
  if (notBefore !== undefined) await queue.send('express', [{ certname, generation, reason, at, notBefore }]);
}

/** Milliseconds until a job must be received again; null when it is done. */
export function pauseUntil(heldUntil: number | undefined, now: number): number | null {
  return heldUntil === undefined ? null : Math.max(0, heldUntil - now);
}

/**
 * Back-off in milliseconds after a fault, with jitter over the upper half, because a fault often
 * affects many jobs.
 */
export function faultPause({ receiveCount }: Pick<ReceivedCompileJob, 'receiveCount'>, random: number): number {
  return 1000 * (QUEUES.retrySeconds[receiveCount - 1] ?? 0) * (0.5 + random / 2);
}
