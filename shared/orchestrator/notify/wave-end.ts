import type { JobRecord, NodeRun } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { listNodeRuns } from '../jobs/load-job.ts';
import type { NotifyBook } from './notify-book.ts';

export interface WaveEndParts {
  readonly stores: Pick<Stores, 'jobs' | 'clock'>;
  readonly book: NotifyBook;
  readonly log: (message: string) => void;
}

/** After so many tries, a node that cannot be run is a dead letter. */
export const MOST_TRIES = 5;
const FIRST_RETRY_MS = 60_000;

/**
 * Looks after the nodes of a job that ended: those that could not be run are tried again later, or
 * are dead letters; those that newer catalogs kept from starting are due again. May be repeated.
 */
export async function endWave(
  lane: string,
  { number, body }: Ledger<JobRecord>,
  isSuperseded: boolean,
  parts: WaveEndParts,
): Promise<void> {
  const isStopped = body.stays.at(-1)?.state === 'stopped';
  for await (const run of listNodeRuns(parts.stores.jobs, number)) {
    if (run.state === 'errored' && (isSuperseded || !isStopped)) await retryNode(lane, number, run, parts);
    else if (run.state === 'skipped' && isSuperseded) await restoreNode(lane, number, run, parts);
  }
}

async function restoreNode(lane: string, job: number, { name }: NodeRun, { book }: WaveEndParts): Promise<void> {
  const told = await book.getTold(name);
  if (told !== null && told.job === job) await book.restoreDue(lane, told);
}

async function retryNode(lane: string, job: number, { name, message }: NodeRun, parts: WaveEndParts): Promise<void> {
  const { book, stores, log } = parts;
  const told = await book.getTold(name);
  // It is in a newer job by now.
  if (told === null || told.job !== job) return;
  const { certname, compiledAt, dueAt } = told;
  const node = { certname, compiledAt, dueAt, tries: told.tries + 1 };
  const now = stores.clock.now();
  if (node.tries < MOST_TRIES) {
    await book.addLater(lane, node, now + FIRST_RETRY_MS * 2 ** told.tries);
    return;
  }
  await book.bury({ lane, node, reason: message, at: now });
  log(`${name} could not be told of its changed catalog: ${message}`);
}
