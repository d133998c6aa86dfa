import { QUEUES } from '../../config/deployment.ts';
import type { CompileQueue, ReceivedCompileJob } from '../../store/ports/compile-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { noteLastFault } from './compile-faults.ts';
import type { CompileJobReport } from './compile-job-report.ts';
import { type CompileObserver, processCompileJob } from './process-compile-job.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Processes a received job and acknowledges it. If another worker has the node's lease, the job
 * stays in the queue until that lease ends. By then either the node is built and the job is
 * dropped, or that worker died and the job compiles the node. If the node may be compiled only
 * later, the job stays until then. A job that has nothing to do, and was received before, ends its
 * own lease: its worker may have died after the commit. Throws like `processCompileJob`; the job
 * then stays in the queue.
 */
export async function workOff(
  received: ReceivedCompileJob,
  queue: CompileQueue,
  context: WorkerContext,
  observe?: CompileObserver,
): Promise<CompileJobReport> {
  const report = await processCompileJob(received.job, context, observe, received.id);
  const pauseMs = await findPause(report, received.receiveCount, context.stores);
  const hasNothingToDo = report.outcome === 'dropped' || report.outcome === 'superseded';
  if (pauseMs === null && hasNothingToDo && received.receiveCount > 1) {
    await context.stores.nodes.endLease(received.job.certname, received.id);
  }
  if (pauseMs === null) await queue.acknowledge(received);
  else await queue.retryAfter(received, pauseMs);
  return report;
}

/**
 * Milliseconds until a job must be received again; null when it is done. A job that was put off
 * many times would become a dead letter: it is done, and the feeder sends another.
 */
export async function findPause(
  { certname, heldUntil, deferred }: Pick<CompileJobReport, 'certname' | 'heldUntil' | 'deferred'>,
  receiveCount: number,
  { nodes, clock }: Pick<WorkerContext['stores'], 'nodes' | 'clock'>,
): Promise<number | null> {
  const until = heldUntil ?? deferred?.until;
  if (until === undefined) return null;
  if (deferred && receiveCount >= QUEUES.maxReceives - 1) {
    await nodes.unask(certname, deferred.generation);
    return null;
  }
  return Math.max(0, until - clock.now());
}

/** Has a job that met a fault received again after a pause; the last time, the fault is noted. */
export async function retryAfterFault(
  received: ReceivedCompileJob,
  error: unknown,
  stores: Pick<Stores, 'queue' | 'documents' | 'clock'>,
): Promise<void> {
  await noteLastFault(received, error, stores);
  await stores.queue.retryAfter(received, faultPause(received, stores.clock.random()));
}

/**
 * Back-off in milliseconds after a fault, with jitter over the upper half, because a fault often
 * affects many jobs.
 */
function faultPause({ receiveCount }: Pick<ReceivedCompileJob, 'receiveCount'>, random: number): number {
  return 1000 * (QUEUES.retrySeconds[receiveCount - 1] ?? 0) * (0.5 + random / 2);
}
