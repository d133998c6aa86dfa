import { BUILT_IN_TASKS } from '../../../orchestrator/jobs/built-in-tasks.ts';
import { unknownPlanError } from '../../../orchestrator/jobs/plan-service.ts';
import {
  answerWith,
  createOrchestratorRoute,
  type OrchestratorEndpoint,
  type OrchestratorRequest,
  type OrchestratorServices,
} from './orchestrator-endpoint.ts';

async function openEnvironment({ query }: OrchestratorRequest, { jobs, stores }: OrchestratorServices) {
  const name = query.get('environment') ?? 'production';
  await jobs.requireEnvironment(name);
  const record = await stores.environments.get(name);
  return { name, code_id: record?.codeId ?? null };
}

/**
 * `apache` is at `apache/init`, `apache::reload` at `apache/reload`, and a plan in a folder of
 * plans, `apache::app::reload`, at `apache/app::reload`.
 */
function urlOf(base: string, collection: string, name: string, environment: string): string {
  const [module = '', ...parts] = name.split('::');
  const short = parts.length === 0 ? 'init' : parts.join('::');
  const query = environment === 'production' ? '' : `?environment=${encodeURIComponent(environment)}`;
  return `${base}/${collection}/${module}/${short}${query}`;
}

function nameOf(request: OrchestratorRequest): string {
  const [module, short] = [request.param('module'), request.param('name')];
  return short === 'init' ? module : `${module}::${short}`;
}

/** Whether the user may run each of these; who may run all of them is asked for once. */
async function listPermitted(
  { subject }: OrchestratorRequest,
  { permissions }: OrchestratorServices,
  objectType: 'tasks' | 'plans',
  names: readonly string[],
): Promise<readonly boolean[]> {
  if (await permissions.permits(subject, objectType, 'run')) return names.map(() => true);
  return Promise.all(names.map((name) => permissions.permits(subject, objectType, 'run', name)));
}

const getTasks = createOrchestratorRoute('GET', '/tasks', async (request, services) => {
  const environment = await openEnvironment(request, services);
  const found = (await services.tasks.list(environment.name)) ?? [];
  const names = [...new Set([...found, ...BUILT_IN_TASKS])];
  const permitted = await listPermitted(request, services, 'tasks', names);
  const items = names.map((name, index) => ({
    id: urlOf(request.base, 'tasks', name, environment.name),
    name,
    permitted: permitted[index] === true,
  }));
  return answerWith({ environment, items });
});

const getTask = createOrchestratorRoute('GET', '/tasks/:module/:name', async (request, services) => {
  const environment = await openEnvironment(request, services);
  const task = await services.jobs.findTask(environment.name, nameOf(request));
  const [permitted = false] = await listPermitted(request, services, 'tasks', [task.name]);
  return answerWith({
    id: urlOf(request.base, 'tasks', task.name, environment.name),
    name: task.name,
    permitted,
    environment: { name: environment.name, code_id: task.codeId },
    metadata: task.metadata,
    ...(Object.keys(task.aliases).length === 0 ? {} : { type_aliases: task.aliases }),
    files: await services.tasks.filesFor(task),
  });
});

const getPlans = createOrchestratorRoute('GET', '/plans', async (request, services) => {
  const environment = await openEnvironment(request, services);
  const names = await services.planLibrary.list(environment.name);
  const permitted = await listPermitted(request, services, 'plans', names);
  const items = names.map((name, index) => ({
    id: urlOf(request.base, 'plans', name, environment.name),
    name,
    permitted: permitted[index] === true,
  }));
  return answerWith({ environment: { name: environment.name, code_id: null }, items });
});

const getPlan = createOrchestratorRoute('GET', '/plans/:module/:name', async (request, services) => {
  const environment = await openEnvironment(request, services);
  const name = nameOf(request);
  const metadata = await services.planLibrary.find(environment.name, name);
  if (metadata === null) throw unknownPlanError(name);
  const [permitted = false] = await listPermitted(request, services, 'plans', [name]);
  return answerWith({
    id: urlOf(request.base, 'plans', name, environment.name),
    name,
    permitted,
    environment: { name: environment.name, code_id: null },
    metadata,
  });
});

export const taskEndpoints: readonly OrchestratorEndpoint[] = [getTasks, getTask, getPlans, getPlan];
