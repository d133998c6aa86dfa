import type { JobRecord, NodeRun } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { ActiveJob } from './active-job.ts';
import type { JobContext } from './job-context.ts';
import { JobDraft } from './job-draft.ts';
import { JobImage } from './job-image.ts';
import type { JobOrder, JobTargets } from './job-order.ts';
import { readKeptValue } from './kept-values.ts';
import type { JsonObject } from './request-body.ts';

const PAGE = 1000;

/**
 * Claims a job and builds what runs it from the store. Null when another process has it, when it
 * has ended, or when it cannot be run any more, which ends it.
 */
export async function loadJob(number: number, context: JobContext, vault: KeyVault): Promise<ActiveJob | null> {
  const { jobs, blobs, clock, owner, leaseMs } = context;
  const now = clock.now();
  const ledger = await jobs.claim('job', number, { owner, until: now + leaseMs }, now);
  if (ledger === null) return null;
  const { body, version } = ledger;
  if (body.finishedAt !== null) {
    await jobs.commit('job', number, version, { body, isOpen: false }, `${owner} close`);
    return null;
  }
  const targets = await readTargets(blobs, body);
  const order = (await readKeptValue(blobs, body.order)) as JobOrder | null;
  const params = order === null ? null : await openParams(order, vault);
  if (targets === null || order === null || params === null) {
    await abortJob(ledger, context);
    return null;
  }
  const job = new ActiveJob(new JobImage(ledger, targets), order, params, context);
  const places = new Map(targets.names.map((name, index) => [name, index]));
  try {
    for await (const run of listNodeRuns(jobs, number)) {
      const index = places.get(run.name);
      if (index !== undefined) job.restore(index, run);
    }
  } catch (error) {
    job.release();
    throw error;
  }
  return job;
}

/** Opens the params of the request; null when they were sealed with a key that is gone. */
async function openParams({ sealed, params }: JobOrder, vault: KeyVault): Promise<JsonObject | null> {
  if (sealed === null) return params ?? {};
  try {
    const opened: unknown = JSON.parse(await vault.open(sealed));
    return isJsonObject(opened) ? opened : null;
  } catch (error) {
    if (error instanceof StoreRefused) return null;
    throw error;
  }
}

/** All stored nodes of a job, in the order of their names. */
export async function* listNodeRuns(
  jobs: Pick<JobContext['jobs'], 'listNodes'>,
  number: number,
): AsyncGenerator<NodeRun> {
  let after = '';
  for (;;) {
    const page = await jobs.listNodes(number, after, PAGE);
    yield* page;
    after = page.at(-1)?.name ?? '';
    if (page.length < PAGE) return;
  }
}

/** The nodes of a job; null when they are lost. */
export async function readTargets(
  blobs: Pick<JobContext['blobs'], 'get'>,
  { targets }: Pick<JobRecord, 'targets'>,
): Promise<JobTargets | null> {
  const bytes = await blobs.get(targets);
  return bytes && (JSON.parse(Buffer.from(bytes).toString()) as JobTargets);
}

/** Ends a job whose nodes or request are lost. */
async function abortJob(ledger: Ledger<JobRecord>, { jobs, clock, owner }: JobContext): Promise<void> {
  const { number, version } = ledger;
  const draft = new JobDraft(clock.now());
  const image = new JobImage(ledger, { names: [] });
  image.enter('failed', draft.now);
  draft.addJobEvent('job_aborted', number, 'failed', `Job ${number} aborted: what it was to do is lost`);
  const { events } = draft.finish(await jobs.takeNumbers('events', 1));
  const body = { ...image.body, finishedAt: draft.now };
  await jobs.commit('job', number, version, { body, events, isOpen: false }, `${owner} abort`);
}
