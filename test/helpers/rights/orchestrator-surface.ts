import { ROOT_ID } from '../../../shared/fleet/groups/node-group.ts';
import { OrchestratorApi } from '../orchestrator-api.ts';
import { openUserWorld, type UserSurface, type UserWorld } from './access-surface.ts';
import type { RouteRequest, Surface } from './describe-surface.ts';
import { listUsers } from './user-identities.ts';

const NODE = 'web01.example.com';
const MODULE = 'environments/production/modules/demo';
const CODE = {
  [`${MODULE}/tasks/hello.sh`]: 'echo hello',
  [`${MODULE}/tasks/hello.json`]: '{}',
  [`${MODULE}/plans/init.pp`]: 'plan demo() {}',
};
const V1 = '/orchestrator/v1';
const ABOUT = ['node_groups:view', 'nodes', 'orchestrator', 'plans', 'puppet_agent', 'scheduled_jobs', 'tasks'];
const VIEW = { objectType: 'orchestrator', action: 'view', instance: '*' };
const RUN = { environment: 'production', scope: { nodes: [NODE] } };
const TASK = { task: 'demo::hello', params: {}, ...RUN };
const TOMORROW = '2026-11-22T00:00:00Z';

/** Routes after which a job, a plan job or a scheduled job is not what it was. */
const CONSUMING = /\/(?:stop|plan_task|plan_finish|stop_plan|:job)(?: \(.*\))?$/;

/** The numbers of what the requests are about. */
interface Seeds {
  readonly job: string;
  readonly plan: string;
  readonly event: string;
  readonly schedule: string;
}

/** Beside its single permission, each user has `orchestrator:view`: without it no route answers. */
export async function openOrchestratorSurface(
  given: UserWorld = openUserWorld(listUsers),
): Promise<UserSurface & { close(): void }> {
  const { world, listIdentities } = given;
  const owner = await world.addUser('owner', [1]);
  const own = {
    'tasks:run': 'demo::hello',
    'tasks:run_with_constraints': '1',
    plans: 'demo',
    scheduled_jobs: owner.id,
    node_groups: ROOT_ID,
  };
  const identities = await listIdentities(world, { own, about: ABOUT, common: [VIEW] });
  const api = new OrchestratorApi({ queries: { find: async () => [NODE] } }, world.access);
  // Who may run a plan is asked, and no plan runs.
  api.plans.connect({ demandRoom: () => {}, begin: async () => {}, drop: () => {} });
  api.world.network.addAgents([NODE]);
  await api.world.stores.nodes.markSeen(NODE, 'production', 1);
  await api.deploy('production', CODE);
  const token = await world.tokenOf('owner');
  await api.post(
    '/command/task_target',
    { display_name: 'one', tasks: ['demo::hello'], nodes: [NODE], node_groups: [] },
    token,
  );
  let seeds = await seed(api, token);
  return {
    app: api.app,
    identities,
    routes: [...new Set(api.routes)],
    requests: requestsOf(() => seeds),
    ask: async (method, { path, body }, who) => (await api.ask(method, path, who, body)).status,
    async renew(route) {
      if (CONSUMING.test(route)) seeds = await seed(api, token);
    },
    close: () => api.close(),
  };
}

async function seed(api: OrchestratorApi, token: string): Promise<Seeds> {
  const { body: made } = await api.post('/command/task', TASK, token);
  const { body: started } = await api.post('/command/plan_start', { plan_name: 'demo', params: {} }, token);
  const { body: events } = await api.get(`/plan_jobs/${started.name}/events`, token);
  const { body: scheduled } = await api.post('/command/schedule_task', { ...TASK, scheduled_time: TOMORROW }, token);
  return { job: made.job.name, plan: started.name, event: events.items[0].id, schedule: scheduled.scheduled_job.name };
}

function requestsOf(seeds: () => Seeds): Surface<null>['requests'] {
  const command = (name: string, body: object, purpose = '') => ({
    [`POST ${V1}/command/${name}${purpose}`]: { path: `${V1}/command/${name}`, body },
  });
  const scopes = { 'a query': { query: 'nodes {}' }, 'a node group': { node_group: ROOT_ID } };
  const scoped = Object.entries(scopes).map(([of, scope]) => ({
    ...command('deploy', { ...RUN, scope }, ` (${of})`),
    ...command('task', { ...TASK, scope }, ` (${of})`),
  }));
  const at = { schedule: { start_time: TOMORROW } };
  const scheduled = {
    type: 'task',
    environment: 'production',
    input: { name: 'demo::hello', parameters: {}, scope: RUN.scope },
  };
  const target = { display_name: 'two', tasks: ['demo::hello'], nodes: [NODE], node_groups: [] };
  const jobs = `${V1}/scheduled_jobs`;
  const ofJob = ['', '/nodes', '/report', '/events', '/order'];
  return {
    [`GET ${V1}/environments/:environment`]: { path: `${V1}/environments/production` },
    [`GET ${V1}/environments/:environment/applications`]: { path: `${V1}/environments/production/applications` },
    [`GET ${V1}/environments/:environment/instances`]: { path: `${V1}/environments/production/instances` },
    [`GET ${V1}/scopes/task_targets/:target`]: { path: `${V1}/scopes/task_targets/1` },
    ...command('deploy', RUN),
    ...command('task', TASK),
    ...Object.assign({}, ...scoped),
    ...command('deploy_preview', RUN),
    [`POST ${V1}/command/stop`]: () => ({ path: `${V1}/command/stop`, body: { job: seeds().job } }),
    ...command('plan_start', { plan_name: 'demo', params: {} }),
    [`POST ${V1}/command/plan_task`]: () => ({
      path: `${V1}/command/plan_task`,
      body: { ...TASK, plan_job: seeds().plan },
    }),
    [`POST ${V1}/command/plan_finish`]: () => ({
      path: `${V1}/command/plan_finish`,
      body: { plan_job: seeds().plan, status: 'success' },
    }),
    [`POST ${V1}/command/stop_plan`]: () => ({ path: `${V1}/command/stop_plan`, body: { plan_job: seeds().plan } }),
    ...command('plan_run', { plan_name: 'demo', environment: 'production' }),
    ...command('environment_plan_run', { plan_name: 'demo', environment: 'production' }),
    ...command('task_target', target),
    ...command('schedule_deploy', { ...RUN, scheduled_time: TOMORROW }),
    ...command('schedule_task', { ...TASK, scheduled_time: TOMORROW }),
    ...command('schedule_plan', { plan_name: 'demo', params: {}, environment: 'production', scheduled_time: TOMORROW }),
    ...Object.fromEntries(
      ofJob.map((part) => [
        `GET ${V1}/jobs/:job${part}`,
        (): RouteRequest => ({ path: `${V1}/jobs/${seeds().job}${part}` }),
      ]),
    ),
    ...Object.fromEntries(
      ['', '/events'].map((part) => [
        `GET ${V1}/plan_jobs/:job${part}`,
        (): RouteRequest => ({ path: `${V1}/plan_jobs/${seeds().plan}${part}` }),
      ]),
    ),
    [`GET ${V1}/plan_jobs/:job/event/:event`]: () => ({
      path: `${V1}/plan_jobs/${seeds().plan}/event/${seeds().event}`,
    }),
    [`GET ${V1}/inventory/:node`]: { path: `${V1}/inventory/${NODE}` },
    [`POST ${V1}/inventory`]: { path: `${V1}/inventory`, body: { nodes: [NODE] } },
    [`POST ${V1}/inventory (a query)`]: { path: `${V1}/inventory`, body: { query: 'nodes {}' } },
    [`POST ${V1}/agents/ping`]: { path: `${V1}/agents/ping`, body: { nodes: [NODE] } },
    [`GET ${V1}/agents/:node`]: { path: `${V1}/agents/${NODE}` },
    [`GET ${V1}/tasks/:module/:name`]: { path: `${V1}/tasks/demo/hello` },
    [`GET ${V1}/plans/:module/:name`]: { path: `${V1}/plans/demo/init` },
    [`POST ${jobs}/environment_jobs`]: { path: `${jobs}/environment_jobs`, body: { ...scheduled, ...at } },
    [`GET ${jobs}/environment_jobs/:job`]: () => ({ path: `${jobs}/environment_jobs/${seeds().schedule}` }),
    [`GET ${jobs}/:job`]: () => ({ path: `${jobs}/${seeds().schedule}` }),
    [`PUT ${jobs}/environment_jobs/:job`]: () => ({
      path: `${jobs}/environment_jobs/${seeds().schedule}`,
      body: { description: 'other' },
    }),
    [`PUT ${jobs}/environment_jobs/:job (disable)`]: () => ({
      path: `${jobs}/environment_jobs/${seeds().schedule}`,
      body: { enabled: false },
    }),
    [`DELETE ${jobs}/:job`]: () => ({ path: `${jobs}/${seeds().schedule}` }),
  };
}
