import { listLevels } from '../../../orchestrator/jobs/arrange-targets.ts';
import type { PlannedDeploy } from '../../../orchestrator/jobs/job-service.ts';
import { readTargets } from '../../../orchestrator/jobs/load-job.ts';
import { OrchestratorError } from '../../../orchestrator/jobs/orchestrator-error.ts';
import { type ApplicationInstance, splitGroupName } from '../../../orchestrator/order/environment-applications.ts';
import { findRequestedJob } from './jobs.ts';
import {
  answerWith,
  createOrchestratorRoute,
  type OrchestratorEndpoint,
  type OrchestratorRequest,
  type OrchestratorServices,
} from './orchestrator-endpoint.ts';

/** Previews `command/deploy` with the same body. No job is made. */
const postPreview = createOrchestratorRoute(
  'POST',
  '/command/deploy_preview',
  async ({ subject, readBody }, services) =>
    answerWith(await describePreview(await services.jobs.planDeploy(subject, await readBody()), services)),
);

async function describePreview(
  { request, targets, precedences }: PlannedDeploy,
  { gateway, applications }: OrchestratorServices,
): Promise<Readonly<Record<string, unknown>>> {
  const { environment, order, concurrency } = request;
  const isConnected = new Set((await gateway.listConnected(targets.names)).map(({ certname }) => certname));
  const reached = await applications.findReached(environment, targets.names);
  const applicationsOf = new Map<string, string[]>();
  for (const { name, nodes } of reached) {
    for (const node of nodes) applicationsOf.set(node, [...(applicationsOf.get(node) ?? []), name]);
  }
  return {
    environment: { name: environment },
    enforce_environment: order.environment !== null,
    noop: order.noop,
    no_noop: order.noNoop,
    concurrency,
    node_count: targets.names.length,
    levels: listLevels(targets).map((names, level) => ({
      level,
      nodes: names.map((name) => ({
        name,
        connected: isConnected.has(name),
        applications: applicationsOf.get(name) ?? [],
      })),
    })),
    dependencies: precedences,
    applications: reached,
  };
}

/** None when the graph cannot be read any more. */
async function findReached(environment: string, names: readonly string[], { applications }: OrchestratorServices) {
  try {
    return await applications.findReached(environment, names);
  } catch (error) {
    if (error instanceof OrchestratorError) return [];
    throw error;
  }
}

/** The order of a job from when it was made, and the applications by the present graph. */
const getJobOrder = createOrchestratorRoute('GET', '/jobs/:job/order', async (request, services) => {
  const { body } = await findRequestedJob(request, services);
  const targets = await readTargets(services.stores.blobs, body);
  const levels = targets === null ? [] : listLevels(targets);
  const isRun = targets !== null && body.command === 'deploy';
  return answerWith({
    levels: levels.map((nodes, level) => ({ level, nodes })),
    applications: isRun ? await findReached(body.environment, targets.names, services) : [],
  });
});

const getApplications = createOrchestratorRoute(
  'GET',
  '/environments/:environment/applications',
  async (request, services) => {
    const { name, id } = await readEnvironment(request, services);
    const names = await services.applications.listNames(name);
    return answerWith({
      items: names.map((one) => ({ id: `${id}/applications/${encodeURIComponent(one)}`, name: one })),
    });
  },
);

const getInstances = createOrchestratorRoute(
  'GET',
  '/environments/:environment/instances',
  async (request, services) => {
    const { name, id } = await readEnvironment(request, services);
    const instances = await services.applications.listInstances(name);
    return answerWith({ items: instances.map((one) => describeInstance(one, id)) });
  },
);

function describeInstance({ group, components }: ApplicationInstance, environment: string) {
  const { type, title } = splitGroupName(group.name);
  return {
    id: `${environment}/instances/${encodeURIComponent(group.name)}`,
    name: group.name,
    type,
    title,
    description: group.description,
    after: group.after,
    components,
  };
}

async function readEnvironment(request: OrchestratorRequest, { jobs }: OrchestratorServices) {
  const name = request.param('environment');
  await jobs.requireEnvironment(name);
  return { name, id: `${request.base}/environments/${name}` };
}

export const runOrderEndpoints: readonly OrchestratorEndpoint[] = [
  postPreview,
  getJobOrder,
  getApplications,
  getInstances,
];
