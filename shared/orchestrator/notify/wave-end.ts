import type { JobRecord, NodeRun } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { JobTargets } from '../jobs/job-order.ts';
import { listNodeRuns } from '../jobs/load-job.ts';
import type { NotifyBook } from './notify-book.ts';

interface WaveEndParts {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'clock'>;
  readonly book: NotifyBook;
  readonly log: (message: string) => void;
}

/** After this many tries, a node that cannot be run is a dead letter. */
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
  const runs: NodeRun[] = [];
  for await (const run of listNodeRuns(parts.stores.jobs, number)) runs.push(run);
  const retried = isStopped ? new Set<string>() : await findRetried(body, runs, parts);
  for (const run of runs) {
    if (run.state === 'errored' && (isSuperseded || !isStopped)) await retryNode(lane, number, run, parts);
    else if (run.state !== 'skipped') continue;
    else if (isSuperseded) await restoreNode(lane, number, run, parts);
    else if (retried.has(run.name)) await retryNode(lane, number, run, parts);
    else if (!isStopped) parts.log(`${run.name} is not notified of its changed catalog: ${run.message}`);
  }
}

/** The nodes that could not be run, and those that wait for them. */
async function findRetried(
  { targets }: JobRecord,
  runs: readonly NodeRun[],
  { stores }: WaveEndParts,
): Promise<ReadonlySet<string>> {
  const retried = new Set(runs.flatMap(({ name, state }) => (state === 'errored' ? [name] : [])));
  if (retried.size === 0 || !runs.some(({ state }) => state === 'skipped')) return retried;
  const bytes = await stores.blobs.get(targets);
  if (bytes === null) return retried;
  const { names, barriers = [] }: JobTargets = JSON.parse(Buffer.from(bytes).toString());
  const isRetried = (index: number) => retried.has(names[index] ?? '');
  // Nodes are in the order of their levels, so one pass by the first that waits finds all.
  const inOrder = barriers.toSorted((left, right) => Math.min(...left.after) - Math.min(...right.after));
  for (const { before, after } of inOrder) {
    if (before.some(isRetried)) for (const index of after) retried.add(names[index] ?? '');
  }
  return retried;
}

async function restoreNode(lane: string, job: number, { name }: NodeRun, { book }: WaveEndParts): Promise<void> {
  const last = await book.getNotified(name);
  if (last !== null && last.job === job) await book.restoreDue(lane, last);
}

async function retryNode(lane: string, job: number, { name, message }: NodeRun, parts: WaveEndParts): Promise<void> {
  const { book, stores, log } = parts;
  const last = await book.getNotified(name);
  // It is in a newer job by now.
  if (last === null || last.job !== job) return;
  const { certname, compiledAt, dueAt } = last;
  const node = { certname, compiledAt, dueAt, tries: last.tries + 1 };
  const now = stores.clock.now();
  if (node.tries < MOST_TRIES) {
    await book.addLater(lane, node, now + FIRST_RETRY_MS * 2 ** last.tries);
    return;
  }
  await book.bury({ lane, node, reason: message, at: now });
  log(`${name} could not be notified of its changed catalog: ${message}`);
}
