import { QUEUES } from '../../config/deployment.ts';
import type { ReceivedCompileJob } from '../../store/ports/compile-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';

/** Why a job of a node became a dead letter. */
interface CompileFault {
  readonly reason: string;
  /** When, in milliseconds. */
  readonly at: number;
}

const COLLECTION = 'compile-faults';
const LONGEST_REASON = 2000;
/** SQS keeps a dead letter for two weeks. */
const KEPT_MS = 15 * DAY_MS;

/**
 * Keeps why a job failed that was received for the last time: it is a dead letter next. One write
 * for each dead letter, none for other faults; a node has one note, the newest.
 */
export async function noteLastFault(
  { job, receiveCount }: Pick<ReceivedCompileJob, 'job' | 'receiveCount'>,
  error: unknown,
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
): Promise<void> {
  if (receiveCount < QUEUES.maxReceives) return;
  const at = clock.now();
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
  await documents.put(COLLECTION, job.certname, { reason, at }, at + KEPT_MS);
}

/** Why a node's job of this time failed; null when its worker ended before it could say. */
export async function readLastFault(
  { certname, at }: Pick<ReceivedCompileJob['job'], 'certname' | 'at'>,
  { documents }: Pick<Stores, 'documents'>,
): Promise<CompileFault | null> {
  const found = await documents.get(COLLECTION, certname);
  if (found === null || Number(found.at) < at) return null;
  return { reason: String(found.reason), at: Number(found.at) };
}

/** Deletes what is noted of a node. */
export async function forgetLastFault(certname: string, { documents }: Pick<Stores, 'documents'>): Promise<void> {
  await documents.delete(COLLECTION, certname);
}
