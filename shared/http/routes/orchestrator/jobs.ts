import { unknownJobError } from '../../../orchestrator/jobs/job-service.ts';
import { readKeptValue } from '../../../orchestrator/jobs/kept-values.ts';
import { listNodeRuns, readTargets } from '../../../orchestrator/jobs/load-job.ts';
import type { JobRecord, LedgerBodies, NodeRun } from '../../../store/ports/job-records.ts';
import type { Ledger } from '../../../store/ports/job-store.ts';
import {
  describeEvents,
  describeJob,
  describeNextEvents,
  describeStays,
  measureSeconds,
  printTime,
  stateOfJob,
} from './describe-job.ts';
import {
  answerWith,
  createOrchestratorRoute,
  type OrchestratorEndpoint,
  type OrchestratorRequest,
  type OrchestratorServices,
} from './orchestrator-endpoint.ts';
import { readCount, readNumberedName, readPage, readTimeParameter, type SortKey, takePage } from './read-query.ts';

const PAGE = 500;
/** Events in one answer; `next-events` leads to more. */
const MOST_EVENTS_SHOWN = 10_000;

/** Reads the stored ledgers of all jobs, or of all plan jobs. */
export async function listLedgers<Kind extends 'job' | 'plan'>(
  { stores }: Pick<OrchestratorServices, 'stores'>,
  kind: Kind,
): Promise<readonly Ledger<LedgerBodies[Kind]>[]> {
  const found: Ledger<LedgerBodies[Kind]>[] = [];
  for (;;) {
    const page = await stores.jobs.list(kind, found.at(-1)?.number ?? 0, PAGE);
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}

/** Returns a predicate: whether a finish time (null: unfinished) is in the range of the query. */
export function endedWithin(query: URLSearchParams): (finishedAt: number | null) => boolean {
  const [from, to] = [
    readTimeParameter(query, 'min_finish_timestamp'),
    readTimeParameter(query, 'max_finish_timestamp'),
  ];
  if (from === null && to === null) return () => true;
  return (finishedAt) => finishedAt !== null && finishedAt >= (from ?? 0) && finishedAt <= (to ?? finishedAt);
}

const getJobs = createOrchestratorRoute('GET', '/jobs', async ({ base, query }, services) => {
  const page = readPage(query, ['name', 'owner', 'timestamp', 'environment', 'state']);
  const [type, task] = [query.get('type'), query.get('task')];
  const isWithin = endedWithin(query);
  const jobs = (await listLedgers(services, 'job')).filter(
    ({ body }) =>
      (type === null || body.command === type) &&
      (task === null || body.task?.includes(task) === true) &&
      isWithin(body.finishedAt),
  );
  const { items, pagination } = takePage(jobs, page, keyOfJob, type ?? '');
  const { clock, blobs } = services.stores;
  const shown = await Promise.all(items.map((job) => describeJob(job, { base, blobs, now: clock.now() })));
  return answerWith({ items: shown, pagination });
});

function keyOfJob({ number, body }: Ledger<JobRecord>, orderBy: string): SortKey {
  const keys: Readonly<Record<string, SortKey>> = {
    owner: body.owner.login,
    timestamp: body.finishedAt ?? body.startedAt ?? body.createdAt,
    environment: body.environment,
    state: stateOfJob(body),
  };
  return keys[orderBy] ?? number;
}

const getJob = createOrchestratorRoute('GET', '/jobs/:job', async (request, services) => {
  const job = await findRequestedJob(request, services);
  const { clock, blobs } = services.stores;
  const shown = await describeJob(job, { base: request.base, blobs, now: clock.now() });
  return answerWith({ ...shown, status: describeStays(job.body) });
});

/** Reads the job that the request's path names. Rejects with OrchestratorError. */
export async function findRequestedJob(
  request: OrchestratorRequest,
  { stores }: Pick<OrchestratorServices, 'stores'>,
): Promise<Ledger<JobRecord>> {
  const number = readNumberedName(request.param('job'), 'job');
  const job = await stores.jobs.get('job', number);
  if (job === null) throw unknownJobError(number);
  return job;
}

/** A target node of a job; `run` is null while its state is `new`. */
interface JobNode {
  readonly name: string;
  readonly run: NodeRun | null;
}

async function listJobNodes(
  { number, body }: Ledger<JobRecord>,
  { stores }: Pick<OrchestratorServices, 'stores'>,
): Promise<readonly JobNode[]> {
  const runs = new Map<string, NodeRun>();
  for await (const run of listNodeRuns(stores.jobs, number)) runs.set(run.name, run);
  const names = (await readTargets(stores.blobs, body))?.names ?? [...runs.keys()];
  return names.map((name) => ({ name, run: runs.get(name) ?? null }));
}

const getJobNodes = createOrchestratorRoute('GET', '/jobs/:job/nodes', async (request, services) => {
  const page = readPage(request.query, ['name', 'duration', 'state', 'start_timestamp', 'finish_timestamp']);
  const state = request.query.get('state');
  const job = await findRequestedJob(request, services);
  const now = services.stores.clock.now();
  const nodes = await listJobNodes(job, services);
  const chosen = nodes.filter(({ run }) => state === null || (run?.state ?? 'new') === state);
  const { items, pagination } = takePage(chosen, page, (node, orderBy) => keyOfNode(node, orderBy, now));
  const next = nodes.reduce((latest, { run }) => Math.max(latest, run?.latestEvent ?? 0), 0) + 1;
  return answerWith({
    'next-events': describeNextEvents(`${request.base}/jobs/${job.number}/events`, next),
    items: await Promise.all(items.map((node) => describeNode(node, services, now))),
    pagination,
  });
});

function keyOfNode({ name, run }: JobNode, orderBy: string, now: number): SortKey {
  const keys: Readonly<Record<string, SortKey>> = {
    name,
    duration: measureSeconds(run?.startedAt ?? null, run?.finishedAt ?? null, now),
    state: run?.state ?? 'new',
    start_timestamp: run?.startedAt ?? null,
    finish_timestamp: run?.finishedAt ?? null,
  };
  return keys[orderBy] ?? null;
}

async function describeNode(
  { name, run }: JobNode,
  { stores, reportUrl }: Pick<OrchestratorServices, 'stores' | 'reportUrl'>,
  now: number,
): Promise<Readonly<Record<string, unknown>>> {
  const { startedAt = null, finishedAt = null, result = null, transactionUuid = null } = run ?? {};
  const duration = measureSeconds(startedAt, finishedAt, now);
  const url = transactionUuid === null ? undefined : reportUrl?.(name, transactionUuid);
  return {
    name,
    state: run?.state ?? 'new',
    transport: 'pcp',
    timestamp: printTime(finishedAt ?? startedAt),
    start_timestamp: printTime(startedAt),
    finish_timestamp: printTime(finishedAt),
    duration,
    transaction_uuid: transactionUuid,
    details: {
      message: run?.message ?? '',
      ...(run?.state === 'running' ? { 'run-time': duration } : {}),
      ...(url === undefined ? {} : { 'report-url': url }),
    },
    ...(result === null ? {} : { result: await readKeptValue(stores.blobs, result) }),
    'latest-event-id': run?.latestEvent ?? 0,
  };
}

const getJobReport = createOrchestratorRoute('GET', '/jobs/:job/report', async (request, services) => {
  const nodes = await listJobNodes(await findRequestedJob(request, services), services);
  const items = nodes.map(({ name, run }) => ({
    node: name,
    state: run?.state ?? 'new',
    timestamp: run?.state === 'skipped' ? null : printTime(run?.finishedAt ?? run?.startedAt ?? null),
    events: [],
  }));
  return answerWith({ items });
});

const getJobEvents = createOrchestratorRoute('GET', '/jobs/:job/events', async (request, services) => {
  const start = readCount(request.query, 'start') ?? 0;
  const { number } = await findRequestedJob(request, services);
  const events = await services.stores.jobs.listEvents('job', number, start, MOST_EVENTS_SHOWN);
  return answerWith(describeEvents(`${request.base}/jobs/${number}/events`, events, start));
});

export const jobEndpoints: readonly OrchestratorEndpoint[] = [getJobs, getJob, getJobNodes, getJobReport, getJobEvents];
