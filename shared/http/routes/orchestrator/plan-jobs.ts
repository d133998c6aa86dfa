import { unknownJobError } from '../../../orchestrator/jobs/job-service.ts';
import { readKeptValue } from '../../../orchestrator/jobs/kept-values.ts';
import { OrchestratorError } from '../../../orchestrator/jobs/orchestrator-error.ts';
import type { LedgerEvent, PlanRecord } from '../../../store/ports/job-records.ts';
import type { Ledger } from '../../../store/ports/job-store.ts';
import { describeEvents, describeStays, describeUser, measureSeconds, printTime } from './describe-job.ts';
import { endedWithin, listLedgers } from './jobs.ts';
import {
  answerWith,
  createOrchestratorRoute,
  type OrchestratorEndpoint,
  type OrchestratorRequest,
  type OrchestratorServices,
} from './orchestrator-endpoint.ts';
import { readChoice, readCount, readNumberedName, readPage, type SortKey, takePage } from './read-query.ts';

const MOST_EVENTS_SHOWN = 10_000;
/** A message of a plan is cut to so many bytes in lists. */
const MOST_MESSAGE_BYTES = 1024;

const getPlanJobs = createOrchestratorRoute('GET', '/plan_jobs', async ({ base, query }, services) => {
  const page = readPage(query, ['name', 'owner', 'timestamp', 'state']);
  const hasResults = readChoice(query, 'results', ['include', 'exclude'], 'include') === 'include';
  const isWithin = endedWithin(query);
  const plans = (await listLedgers(services, 'plan')).filter(({ body }) => isWithin(body.finishedAt));
  const { items, pagination } = takePage(plans, page, keyOfPlan);
  const shown = items.map((plan) => describePlanJob(plan, base, services, hasResults));
  return answerWith({ items: await Promise.all(shown), pagination });
});

function keyOfPlan({ number, body }: Ledger<PlanRecord>, orderBy: string): SortKey {
  if (orderBy === 'owner') return body.owner.login;
  if (orderBy === 'timestamp') return body.finishedAt ?? body.createdAt;
  return orderBy === 'state' ? body.state : number;
}

async function describePlanJob(
  { number, body }: Ledger<PlanRecord>,
  base: string,
  { stores }: Pick<OrchestratorServices, 'stores'>,
  hasResult: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const id = `${base}/plan_jobs/${number}`;
  const { result, environment, sensitive } = body;
  return {
    id,
    name: String(number),
    state: body.state,
    options: {
      description: body.description,
      plan_name: body.planName,
      parameters: await readKeptValue(stores.blobs, body.parameters),
      scheduled_job_id: body.scheduledJob === undefined ? null : String(body.scheduledJob),
      sensitive,
      ...(environment === null ? {} : { environment }),
    },
    ...(hasResult ? { result: result && (await readKeptValue(stores.blobs, result)) } : {}),
    owner: describeUser(body.owner),
    created_timestamp: printTime(body.createdAt),
    finished_timestamp: printTime(body.finishedAt),
    duration: measureSeconds(body.createdAt, body.finishedAt, stores.clock.now()),
    events: { id: `${id}/events` },
    userdata: body.userdata,
  };
}

const getPlanJob = createOrchestratorRoute('GET', '/plan_jobs/:job', async (request, services) => {
  const plan = await findPlanJob(request, services);
  const status: Record<string, unknown> = {};
  for (const number of plan.body.jobs) {
    const job = await services.stores.jobs.get('job', number);
    if (job !== null) status[String(number)] = describeStays(job.body);
  }
  const timestamp = printTime(plan.body.finishedAt ?? plan.body.createdAt);
  return answerWith({ ...(await describePlanJob(plan, request.base, services, true)), status, timestamp });
});

async function findPlanJob(
  request: OrchestratorRequest,
  { stores }: Pick<OrchestratorServices, 'stores'>,
): Promise<Ledger<PlanRecord>> {
  const number = readNumberedName(request.param('job'), 'plan job');
  const plan = await stores.jobs.get('plan', number);
  if (plan === null) throw unknownJobError(number);
  return plan;
}

const getPlanJobEvents = createOrchestratorRoute('GET', '/plan_jobs/:job/events', async (request, services) => {
  const start = readCount(request.query, 'start') ?? 0;
  const { number } = await findPlanJob(request, services);
  const events = await services.stores.jobs.listEvents('plan', number, start, MOST_EVENTS_SHOWN);
  return answerWith(describeEvents(`${request.base}/plan_jobs/${number}/events`, events.map(cutEvent), start));
});

function cutEvent(event: LedgerEvent): LedgerEvent {
  const bytes = Buffer.from(event.message);
  if (bytes.length <= MOST_MESSAGE_BYTES) return event;
  return { ...event, message: new TextDecoder().decode(bytes.subarray(0, MOST_MESSAGE_BYTES)) };
}

const getPlanJobEvent = createOrchestratorRoute('GET', '/plan_jobs/:job/event/:event', async (request, { stores }) => {
  const plan = await findPlanJob(request, { stores });
  const id = readNumberedName(request.param('event'), 'event');
  const [event] = await stores.jobs.listEvents('plan', plan.number, id, 1);
  if (event?.id !== id) {
    const message = `Event ${id} is not of plan job ${plan.number}`;
    throw new OrchestratorError('mismatched-job-event-id', message, { job: String(plan.number), event: String(id) });
  }
  const { type, at, details, message } = event;
  return answerWith({ id: String(id), type, timestamp: printTime(at), details, message });
});

export const planJobEndpoints: readonly OrchestratorEndpoint[] = [
  getPlanJobs,
  getPlanJob,
  getPlanJobEvents,
  getPlanJobEvent,
];
