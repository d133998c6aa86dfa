import type { QueueName, ReceivedCompileJob } from '../../store/ports/compile-queue.ts';
import type { Doorbell } from '../../store/ports/doorbell.ts';
import type { ExportChangeFeed } from '../../store/ports/export-store.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { noteLastFault } from './compile-faults.ts';
import type { CompileJobReport } from './compile-job-report.ts';
import type { ExportTiming } from './export-interval.ts';
import { type CollectorPorts, drainExportChanges } from './invalidate-collectors.ts';
import { workOff } from './work-off.ts';
import type { WorkerContext } from './worker-context.ts';

/** Callbacks of the loop. */
export interface LoopObserver {
  onStart(job: ReceivedCompileJob): void;
  onReport(report: CompileJobReport): void;
  /** A job (null: receiving, or processing export changes) failed and will be retried. */
  onFault(error: unknown, job: ReceivedCompileJob | null): void;
}

export interface LoopPorts extends Pick<Stores, 'queue' | 'documents'> {
  readonly context: WorkerContext;
  readonly changes: ExportChangeFeed;
  readonly invalidate: CollectorPorts;
  /** Pace of compiles for changed exports; `DEFAULT_EXPORT_TIMING` by default. */
  readonly timing?: ExportTiming;
  /** Rings for jobs; absent: the queue is looked at. */
  readonly doorbell?: Pick<Doorbell, 'isHeard'> | undefined;
  /** The queues to receive from at present; all of them by default. */
  readonly listQueues?: () => readonly QueueName[];
}

const WAIT_MS = 1000;
/** The wait of a worker that had nothing to do, and whom a doorbell wakes. */
const IDLE_WAIT_MS = 5000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;

/**
 * Works until `signal` aborts: receives one job at a time, processes it, and invalidates the
 * collectors of its exports. Jobs that a node waits for go before invalidation. A job that throws
 * is retried with back-off until the queue makes it a dead letter.
 */
export async function runWorker(ports: LoopPorts, observer: LoopObserver, signal: AbortSignal): Promise<void> {
  const { clock } = ports.context.stores;
  let faults = 0;
  let isIdle = false;
  while (!signal.aborted) {
    try {
      const job = await receiveNext(ports, isIdle, signal);
      isIdle = job === null;
      if (job) await processReceived(job, ports, observer, signal);
      faults = 0;
    } catch (error) {
      observer.onFault(error, null);
      await clock.sleep(retryPause(faults, clock.random()), signal);
      faults += 1;
    }
  }
}

/**
 * The next job; null when there is none for some time. Invalidates when no node waits: at the end
 * of an idle time, it is known that none does.
 */
async function receiveNext(
  { queue, changes, invalidate, timing, doorbell, listQueues }: LoopPorts,
  isIdle: boolean,
  signal: AbortSignal,
): Promise<ReceivedCompileJob | null> {
  for (let isKnown = isIdle; ; isKnown = false) {
    const [awaited] = isKnown ? [] : await queue.receive(1, 0, signal, ['waiting']);
    if (awaited) return awaited;
    if ((await drainExportChanges(changes, invalidate, timing)) === 0) break;
  }
  const waitMs = isIdle && doorbell?.isHeard === true ? IDLE_WAIT_MS : WAIT_MS;
  const [job] = await queue.receive(1, waitMs, signal, listQueues?.());
  return job ?? null;
}

async function processReceived(
  received: ReceivedCompileJob,
  ports: LoopPorts,
  observer: LoopObserver,
  signal: AbortSignal,
): Promise<void> {
  try {
    observer.onStart(received);
    await workOff(received, ports.queue, ports.context, (report) => observer.onReport(report));
  } catch (error) {
    observer.onFault(error, received);
    const { documents, context } = ports;
    const { clock } = context.stores;
    await noteLastFault(received, error, { documents, clock }).catch((fault) => observer.onFault(fault, received));
    await giveBack(received, ports, observer, signal);
  }
}

/**
 * Has the job received again after a pause. While the store does not answer, or its disk is full,
 * it tries again: a job that is left to its visibility time-out, and the lease of its node, would
 * wait for minutes.
 */
async function giveBack(
  received: ReceivedCompileJob,
  { queue, context }: LoopPorts,
  observer: LoopObserver,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = context.stores;
  for (let faults = 0; ; faults += 1) {
    try {
      await queue.retryAfter(received, retryPause(received.receiveCount - 1, clock.random()));
      return;
    } catch (error) {
      const isOfStore = error instanceof StoreUnavailable || error instanceof StoreRefused;
      if (!isOfStore || signal.aborted) throw error;
      observer.onFault(error, received);
      await clock.sleep(retryPause(faults, clock.random()), signal);
    }
  }
}

/** Exponential back-off from half a second to a minute, with jitter over the upper half. */
function retryPause(faults: number, random: number): number {
  const longest = Math.min(FIRST_RETRY_MS * 2 ** faults, LONGEST_RETRY_MS);
  return longest * (0.5 + random / 2);
}
