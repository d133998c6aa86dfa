import { QUEUES } from '../../config/deployment.ts';
import type { JobQueue, ReceivedJob } from '../../store/ports.ts';
import type { CompileContext } from './compile-context.ts';
import type { JobReport } from './job-report.ts';
import { processJob, type Tell } from './process-job.ts';

/**
 * Does a received job and takes it out of the queue. One that met the lease of another stays in the queue until that lease ends: by
 * then whoever has it has built the node, and the job is dropped; or has died, and the job compiles the node. Throws as `processJob`;
 * the job is in the queue then.
 */
export async function workOff(
  received: ReceivedJob,
  queue: JobQueue,
  context: CompileContext,
  tell?: Tell,
): Promise<JobReport> {
  const report = await processJob(received.job, context, tell, received.id);
  const pauseMs = pauseUntil(report.heldUntil, context.stores.clock.now());
  if (pauseMs === null) await queue.done(received);
  else await queue.retryAfter(received, pauseMs);
  return report;
}

/** Milliseconds after which a job has to come again; null when it is done. */
export function pauseUntil(heldUntil: number | undefined, now: number): number | null {
  return heldUntil === undefined ? null : Math.max(0, heldUntil - now);
}

/** Milliseconds after which a job comes again that met a fault. Many met the same one: they are spread over the upper half. */
export function faultPause({ receiveCount }: Pick<ReceivedJob, 'receiveCount'>, random: number): number {
  return 1000 * (QUEUES.retrySeconds[receiveCount - 1] ?? 0) * (0.5 + random / 2);
}
