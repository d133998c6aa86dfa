import { plansOf } from '../../../orchestrator/plans/deployed-plans.ts';
import { describeDownload } from '../../../orchestrator/tasks/deployed-tasks.ts';
import { type TaskDetails, taskDetails, tasksOf } from '../../../orchestrator/tasks/module-tasks.ts';
import { UnusableTask } from '../../../orchestrator/tasks/task-library.ts';
import { type NamedEnvironment, plainEnvironment, plainNotFoundError } from '../../environment-parameter.ts';
import { JSON_TYPE } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { AgentServices } from '../../services.ts';

/** `GET tasks?environment=`: all valid tasks. */
export const getTasks = createRoute<AgentServices>('GET', '/puppet/v3/tasks', async (context, services) => {
  const environment = await plainEnvironment(context, services);
  const listed = environment.files.environment.listModules().flatMap((module) => tasksOf(environment.files, module));
  const described: unknown[] = [];
  for (const task of listed) {
    const details = await detailsOrError(services, environment, task);
    if (details instanceof UnusableTask) continue;
    const { private: isPrivate = false, description = '' } = details.metadata;
    const where = [{ name: environment.name, code_id: environment.files.codeId }];
    described.push({ name: task.name, private: isPrivate, description, environment: where });
  }
  return sendJson(context, described);
});

/** `GET tasks/<module>/<task>?environment=`: a task's metadata and files. */
export const getTask = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/tasks/:module/:task',
  async (context, services) => {
    const environment = await plainEnvironment(context, services);
    const module = environment.files.environment.findModule(context.req.param('module') ?? '');
    if (module === null) throw plainNotFoundError(`Could not find module '${context.req.param('module')}'`);
    const found = tasksOf(environment.files, module).find(({ shortName }) => shortName === context.req.param('task'));
    if (!found) throw plainNotFoundError(`Could not find task '${context.req.param('task')}'`);
    const details = await detailsOrError(services, environment, found);
    if (details instanceof UnusableTask) return toFailureResponse(details);
    const files = details.files.map((file) =>
      describeDownload(environment.files, file, { environment: environment.name }),
    );
    return sendJson(context, { metadata: details.metadata, name: found.name, files });
  },
);

async function detailsOrError(
  services: AgentServices,
  { files }: NamedEnvironment,
  found: Parameters<typeof taskDetails>[2],
): Promise<TaskDetails | UnusableTask> {
  try {
    return await taskDetails(services.files, files, found);
  } catch (error) {
    if (error instanceof UnusableTask) return error;
    throw error;
  }
}

function toFailureResponse({ kind, message, details }: UnusableTask): Response {
  const body = JSON.stringify({ kind, msg: message, details });
  return new Response(body, { status: 500, headers: { 'Content-Type': JSON_TYPE } });
}

/** `GET plans?environment=`: all plans. */
export const getPlans = createRoute<AgentServices>('GET', '/puppet/v3/plans', async (context, services) => {
  const { files, name } = await plainEnvironment(context, services);
  const environment = [{ name, code_id: files.codeId }];
  const listed = files.environment.listModules().flatMap((module) => {
    return plansOf(files, module).map((plan) => ({ name: plan.name, environment }));
  });
  return sendJson(context, listed);
});

/** `GET plans/<module>/<plan>?environment=`: a plan's metadata, which is empty in Puppet. */
export const getPlan = createRoute<AgentServices>(
  'GET',
  '/puppet/v3/plans/:module/:plan',
  async (context, services) => {
    const { files } = await plainEnvironment(context, services);
    const { module: moduleName = '', plan: planName = '' } = context.req.param();
    const module = files.environment.findModule(moduleName);
    if (module === null) throw plainNotFoundError(`Could not find module '${moduleName}'`);
    const plan = plansOf(files, module).find(({ shortName }) => shortName === planName);
    if (plan === undefined) throw plainNotFoundError(`Could not find plan '${planName}'`);
    return sendJson(context, { metadata: {}, name: plan.name });
  },
);
