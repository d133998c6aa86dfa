import { readScheduleRequest } from '../../../orchestrator/jobs/schedule-request.ts';
import type { ScheduleRecord } from '../../../store/ports/job-records.ts';
import type { Ledger } from '../../../store/ports/job-store.ts';
import { createRoute } from '../../route.ts';
import { describeUser, printTime } from './describe-job.ts';
import {
  answerWith,
  createOrchestratorRoute,
  type OrchestratorEndpoint,
  type OrchestratorRequest,
  type OrchestratorServices,
} from './orchestrator-endpoint.ts';
import { readNumberedName, readPage, type SortKey, takePage } from './read-query.ts';

const ENVIRONMENT_JOBS = '/scheduled_jobs/environment_jobs';

const listEndpoints: readonly OrchestratorEndpoint[] = [ENVIRONMENT_JOBS, '/scheduled_jobs'].map((path) =>
  createRoute('GET', path, async ({ base, query }, services) => {
    const page = readPage(query, ['next_run_time', 'environment', 'owner', 'name', 'type']);
    const { items, pagination } = takePage(await services.schedules.list(), page, keyOfSchedule);
    const shown = items.map((schedule) => describeSchedule(schedule, `${base}${path}`, base, services));
    return answerWith({ items: await Promise.all(shown), pagination });
  }),
);

function keyOfSchedule({ number, body }: Ledger<ScheduleRecord>, orderBy: string): SortKey {
  const keys: Readonly<Record<string, SortKey>> = {
    next_run_time: body.nextRunAt,
    environment: body.environment,
    owner: body.owner.login,
    name: number,
    type: body.type,
  };
  return keys[orderBy] ?? null;
}

const itemEndpoints: readonly OrchestratorEndpoint[] = [ENVIRONMENT_JOBS, '/scheduled_jobs'].map((path) =>
  createRoute('GET', `${path}/:job`, async (request, services) => {
    const schedule = await services.schedules.get(readName(request));
    return answerWith(await describeSchedule(schedule, `${request.base}${path}`, request.base, services));
  }),
);

const postSchedule = createOrchestratorRoute(
  'POST',
  ENVIRONMENT_JOBS,
  async ({ subject, base, readBody }, { schedules, stores }) => {
    const request = readScheduleRequest(await readBody(), stores.clock.now());
    const number = await schedules.create(subject, request);
    return answerWith({ scheduled_job: { id: `${base}${ENVIRONMENT_JOBS}/${number}`, name: String(number) } });
  },
);

const putSchedule = createOrchestratorRoute('PUT', `${ENVIRONMENT_JOBS}/:job`, async (request, { schedules }) => {
  const number = readName(request);
  await schedules.update(request.subject, number, await request.readBody());
  return answerWith({ scheduled_job: { id: `${request.base}${ENVIRONMENT_JOBS}/${number}`, name: String(number) } });
});

const deleteSchedule = createOrchestratorRoute('DELETE', '/scheduled_jobs/:job', async (request, { schedules }) => {
  await schedules.remove(request.subject, readName(request));
  return { status: 204, body: null };
});

function readName(request: OrchestratorRequest): number {
  return readNumberedName(request.param('job'), 'scheduled job');
}

async function describeSchedule(
  { number, body }: Ledger<ScheduleRecord>,
  url: string,
  base: string,
  { schedules }: OrchestratorServices,
): Promise<Readonly<Record<string, unknown>>> {
  const { startAt, intervalMs } = body.schedule;
  return {
    id: `${url}/${number}`,
    name: String(number),
    enabled: body.isEnabled,
    environment: body.environment,
    owner: describeUser(body.owner),
    description: body.description,
    type: body.type,
    input: await schedules.readInput(body),
    userdata: body.userdata,
    schedule: {
      start_time: printTime(startAt),
      interval: intervalMs === null ? null : { value: intervalMs / 1000, units: 'seconds' },
    },
    next_run: body.nextRunAt === null ? null : { time: printTime(body.nextRunAt) },
    last_run: describeLastRun(body.lastRun, `${base}/${body.type === 'plan' ? 'plan_jobs' : 'jobs'}`),
  };
}

function describeLastRun(run: ScheduleRecord['lastRun'], collection: string): Readonly<Record<string, unknown>> | null {
  if (run === null) return null;
  const time = printTime(run.at);
  if (run.job === null) return { time, submission_error: run.error ?? '' };
  return { time, job: { id: `${collection}/${run.job}`, name: String(run.job) } };
}

export const scheduleEndpoints: readonly OrchestratorEndpoint[] = [
  ...listEndpoints,
  postSchedule,
  ...itemEndpoints,
  putSchedule,
  deleteSchedule,
];
