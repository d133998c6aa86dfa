import { checkBody, isSet, type JsonObject, textOf } from '../../../orchestrator/jobs/request-body.ts';
import { readOldSchedule } from '../../../orchestrator/jobs/schedule-request.ts';
import { createRoute } from '../../route.ts';
import {
  acceptWith,
  answerWith,
  createOrchestratorRoute,
  type OrchestratorEndpoint,
  type OrchestratorRequest,
  type OrchestratorServices,
} from './orchestrator-endpoint.ts';
import { readNumberedName } from './read-query.ts';

const describeNamed = (url: string, number: number) => ({ id: `${url}/${number}`, name: String(number) });

const postDeploy = createOrchestratorRoute('POST', '/command/deploy', async ({ subject, base, readBody }, { jobs }) =>
  acceptWith({ job: describeNamed(`${base}/jobs`, await jobs.deploy(subject, await readBody())) }),
);

const postTask = createOrchestratorRoute('POST', '/command/task', async ({ subject, base, readBody }, { jobs }) =>
  acceptWith({ job: describeNamed(`${base}/jobs`, await jobs.runTask(subject, await readBody())) }),
);

const postStop = createOrchestratorRoute('POST', '/command/stop', async ({ subject, base, readBody }, { jobs }) => {
  const body = checkBody(await readBody(), { job: 'string', force: 'boolean' }, ['job']);
  const number = readNumberedName(textOf(body, 'job'), 'job');
  const ledger = await jobs.stop(subject, number, isSet(body, 'force') ? 'force' : 'soft');
  const none = { new: 0, running: 0, failed: 0, errored: 0, skipped: 0, finished: 0 };
  return acceptWith({
    job: { ...describeNamed(`${base}/jobs`, number), nodes: { ...none, ...ledger.body.nodeStates } },
  });
});

const postPlanStart = createOrchestratorRoute('POST', '/command/plan_start', async ({ subject, readBody }, { plans }) =>
  answerWith({ name: String(await plans.start(subject, await readBody())) }),
);

const postPlanTask = createOrchestratorRoute(
  'POST',
  '/command/plan_task',
  async ({ subject, base, readBody }, { plans }) =>
    acceptWith({ job: describeNamed(`${base}/jobs`, await plans.runTask(subject, await readBody())) }),
);

const postPlanFinish = createOrchestratorRoute(
  'POST',
  '/command/plan_finish',
  async ({ subject, readBody }, { plans }) => {
    await plans.finish(subject, await readBody());
    return acceptWith({});
  },
);

const postStopPlan = createOrchestratorRoute('POST', '/command/stop_plan', async ({ subject, readBody }, { plans }) =>
  acceptWith({ name: String(await plans.stop(subject, await readBody())) }),
);

/** Both commands that run a plan here. */
const planRunEndpoints: readonly OrchestratorEndpoint[] = ['plan_run', 'environment_plan_run'].map((command) =>
  createRoute(
    'POST',
    `/command/${command}`,
    async ({ subject, readBody }: OrchestratorRequest, { plans }: OrchestratorServices) => {
      const isTyped = command === 'environment_plan_run';
      return acceptWith({ name: String(await plans.run(subject, await readBody(), { isTyped })) });
    },
  ),
);

const postTaskTarget = createOrchestratorRoute(
  'POST',
  '/command/task_target',
  async ({ subject, base, readBody }, { taskTargets }) => {
    const number = await taskTargets.create(subject, await readBody());
    return answerWith({ task_target: describeNamed(`${base}/scopes/task_targets`, number) });
  },
);

/** The commands by which older clients schedule jobs. */
const scheduleEndpoints: readonly OrchestratorEndpoint[] = (['deploy', 'task', 'plan'] as const).map((type) =>
  createRoute(
    'POST',
    `/command/schedule_${type}`,
    async (request: OrchestratorRequest, { schedules, stores }: OrchestratorServices) => {
      const body: JsonObject = await request.readBody();
      const number = await schedules.create(request.subject, readOldSchedule(type, body, stores.clock.now()));
      return acceptWith({ scheduled_job: describeNamed(`${request.base}/scheduled_jobs`, number) });
    },
  ),
);

export const commandEndpoints: readonly OrchestratorEndpoint[] = [
  postDeploy,
  postTask,
  postStop,
  postPlanStart,
  postPlanTask,
  postPlanFinish,
  postStopPlan,
  ...planRunEndpoints,
  postTaskTarget,
  ...scheduleEndpoints,
];
