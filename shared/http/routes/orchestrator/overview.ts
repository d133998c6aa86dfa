import { OrchestratorError } from '../../../orchestrator/jobs/orchestrator-error.ts';
import { invalidRequest } from '../../../orchestrator/jobs/request-body.ts';
import { countUsage, dateOf } from '../../../orchestrator/jobs/usage.ts';
import type { TaskTargetRecord } from '../../../store/ports/job-records.ts';
import type { Ledger } from '../../../store/ports/job-store.ts';
import { answerWith, createOrchestratorRoute, type OrchestratorEndpoint } from './orchestrator-endpoint.ts';
import { readNumberedName } from './read-query.ts';

const COMMANDS = [
  'deploy',
  'deploy_preview',
  'task',
  'stop',
  'plan_run',
  'environment_plan_run',
  'plan_start',
  'plan_task',
  'plan_finish',
  'stop_plan',
  'task_target',
];
const COLLECTIONS = ['environments', 'jobs', 'plan_jobs', 'scheduled_jobs', 'inventory', 'tasks', 'plans', 'usage'];

/** Lists the API's collections. The path is empty: it is the root. */
const getRoot = createOrchestratorRoute('GET', '', async ({ base }) =>
  answerWith({
    info: {
      title: 'Understudy orchestrator',
      description: 'Runs Puppet and tasks on the nodes whose agents are connected',
      warning: 'The API follows version 1 of the orchestrator of Puppet Enterprise',
      version: '1.0',
      license: 'Apache-2.0',
    },
    status: { name: 'status', id: `${base}/status` },
    collections: COLLECTIONS.map((name) => ({ name, id: `${base}/${name}` })),
    commands: COMMANDS.map((name) => ({ name, id: `${base}/command/${name}` })),
  }),
);

const getEnvironments = createOrchestratorRoute('GET', '/environments', async ({ base }, { stores }) => {
  const environments = await stores.environments.list();
  return answerWith({ items: environments.map(({ name }) => ({ id: `${base}/environments/${name}`, name })) });
});

const getEnvironment = createOrchestratorRoute('GET', '/environments/:environment', async (request, services) => {
  const name = request.param('environment');
  await services.jobs.requireEnvironment(name);
  const id = `${request.base}/environments/${name}`;
  return answerWith({
    id,
    name,
    applications: { id: `${id}/applications` },
    instances: { id: `${id}/instances` },
  });
});

const DAY = /^\d{4}-\d\d-\d\d$/;

const getUsage = createOrchestratorRoute('GET', '/usage', async ({ query }, { stores }) => {
  const today = dateOf(stores.clock.now());
  const [start, end] = [readDate(query, 'start_date', today), readDate(query, 'end_date', today)];
  const days = await countUsage(stores, Date.parse(start), Date.parse(end));
  const items = days.map(({ date, nodes, changes, taskNodes, planNodes }) => ({
    date,
    total_nodes: nodes,
    nodes_with_agent: nodes,
    nodes_without_agent: 0,
    corrective_agent_changes: changes.corrective,
    intentional_agent_changes: changes.intentional,
    nodes_affected_by_task_runs: taskNodes,
    nodes_affected_by_plan_runs: planNodes,
  }));
  return answerWith({ items, pagination: { start_date: start, end_date: end } });
});

function readDate(query: URLSearchParams, name: string, otherwise: string): string {
  const text = query.get(name) ?? otherwise;
  if (DAY.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw invalidRequest(`${name} must be a date such as 2026-11-22`, { [name]: text });
}

const getTaskTargets = createOrchestratorRoute('GET', '/scopes/task_targets', async ({ base }, { taskTargets }) =>
  answerWith({ items: (await taskTargets.list()).map((target) => describeTarget(target, base)) }),
);

const getTaskTarget = createOrchestratorRoute(
  'GET',
  '/scopes/task_targets/:target',
  async (request, { taskTargets }) => {
    const number = readNumberedName(request.param('target'), 'task target');
    return answerWith(describeTarget(await taskTargets.get(number), request.base));
  },
);

function describeTarget({ number, body }: Ledger<TaskTargetRecord>, base: string) {
  const { displayName, tasks, isForAllTasks, nodes, nodeGroups, query } = body;
  return {
    id: `${base}/scopes/task_targets/${number}`,
    name: String(number),
    display_name: displayName,
    ...(isForAllTasks ? { all_tasks: true } : { tasks }),
    nodes,
    node_groups: nodeGroups,
    ...(query === null ? {} : { pql_query: query }),
  };
}

/** Whether this server runs jobs: it does when it answers. */
const getServiceState = createOrchestratorRoute('GET', '/status', async (_, { gateway }) => {
  const connected = await gateway.listConnected().catch(() => {
    throw new OrchestratorError('unknown-error', 'The broker cannot be reached');
  });
  return answerWith({ state: 'running', connected_agents: connected.length });
});

export const overviewEndpoints: readonly OrchestratorEndpoint[] = [
  getRoot,
  getServiceState,
  getEnvironments,
  getEnvironment,
  getUsage,
  getTaskTargets,
  getTaskTarget,
];
