import type { CodeDeploy } from '../../../fleet/code/code-deploys.ts';
import { environmentOfBranch } from '../../../fleet/sources/code-source-store.ts';
import { readPush } from '../../../fleet/sources/webhook.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { readBody } from '../../body/read-body.ts';
import { type Deployer, demandDeployer, selectDeployable } from '../../deploy-token.ts';
import type { HttpContext } from '../../endpoint.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { isNotJson, readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CodeRouteServices } from '../../services.ts';

const MALFORMED = 'puppetlabs.code-manager/schema-violation';
/** The allowed keys of a request body. */
const KEYS = new Set(['environments', 'deploy-all', 'deploy-modules', 'modules', 'wait', 'dry-run', 'stage']);

/**
 * `POST /code-manager/v1/deploys` in the format of Puppet Enterprise's Code Manager: `environments`
 * or `deploy-all`, `wait`, `dry-run` (lists the existing environments that the user may deploy).
 * `deploy-modules` and `modules` have no effect: modules are deployed with the environment. `stage`
 * false, which is not Puppet's, puts code in force for all nodes where a policy would give it to
 * some first.
 */
export const postCodeDeploys = createRoute<CodeRouteServices>(
  'POST',
  '/code-manager/v1/deploys',
  async (context, services) => {
    const deployer = await demandDeployer(context, services);
    const request = readRequest(await readJsonObject(context, MALFORMED));
    const known = await services.code.source.listEnvironments();
    const environments = request.environments ?? known;
    if (request.dryRun) {
      const shown = await selectDeployable(deployer, known, (environment) => environment);
      if (shown.length === 0) await deployer.demand('*');
      return sendJson(context, { environments: shown.map((environment) => ({ environment })) });
    }
    for (const environment of request.environments ?? ['*']) await deployer.demand(environment);
    return sendJson(context, await deployAll(environments, deployer, request, services));
  },
);

/** The git servers whose calls Code Manager knows, by its parameter `type`. */
const GIT_SERVERS = ['github', 'gitlab', 'bitbucket', 'bitbucket-server', 'tfs-git', 'azure-devops'];

/**
 * `POST /code-manager/v1/webhook?type=github&prefix=TEXT&token=TOKEN`: a git server announces a
 * push, as to Puppet Enterprise's Code Manager. Deploys the environments of the pushed branches; a
 * deleted branch, a tag and a test call deploy nothing.
 */
export const postCodeWebhook = createRoute<CodeRouteServices>(
  'POST',
  '/code-manager/v1/webhook',
  async (context, services) => {
    const deployer = await demandDeployer(context, services);
    const type = context.req.query('type');
    if (type === undefined || !GIT_SERVERS.includes(type))
      throw createMalformedError(`the parameter 'type' must be one of ${GIT_SERVERS.join(', ')}`);
    const prefix = context.req.query('prefix') ?? null;
    const { depth, values } = BODIES.webhook;
    const wanted = { depth, values, wholes: ['push', 'changes', 'resource'] };
    const { members } = await readBody(context, BODIES.webhook, 'readMembers', wanted).catch((error: unknown) => {
      if (!isNotJson(error)) throw error;
      throw createMalformedError('the body must be JSON');
    });
    const pushed = readPush(members && Object.fromEntries(members)) ?? [];
    const branches = pushed.filter(({ isDeleted }) => !isDeleted);
    const environments = new Set(branches.map((branch) => environmentOfBranch({ prefix }, branch.name).name));
    for (const environment of environments) {
      if (!/^\w+$/.test(environment)) throw createMalformedError(`invalid environment name: ${environment}`);
      await deployer.demand(environment);
    }
    return sendJson(context, await deployAll([...environments], deployer, { wait: false, forAll: false }, services));
  },
);

async function deployAll(
  environments: readonly string[],
  deployer: Deployer,
  { wait, forAll }: Pick<DeployRequest, 'wait' | 'forAll'>,
  { code }: CodeRouteServices,
): Promise<readonly unknown[]> {
  const deploys: unknown[] = [];
  for (const environment of environments) {
    const deploy = await code.deploy(environment, deployer, wait, forAll);
    deploys.push(wait || deploy.status === 'failed' ? describeDeploy(deploy) : describeQueued(deploy));
  }
  return deploys;
}

/**
 * `GET /code-manager/v1/deploys/status`: queued and failed deploys, and the code in force; with
 * `?id=`, that one deploy.
 */
export const getCodeDeploysStatus = createRoute<CodeRouteServices>(
  'GET',
  '/code-manager/v1/deploys/status',
  async (context, services) => {
    const deployer = await demandDeployer(context, services);
    const id = context.req.query('id');
    if (id !== undefined) return sendDeploy(context, services, deployer, id);
    const deploys = await selectDeployable(deployer, await services.code.list(), ({ environment }) => environment);
    const selectByStatus = (status: CodeDeploy['status']) => deploys.filter((deploy) => deploy.status === status);
    const deployed = await listInForce(services, deployer);
    return sendJson(context, {
      'deploys-status': {
        new: [],
        queued: [],
        deploying: selectByStatus('deploying').map(({ environment, at }) => ({
          environment,
          'queued-at': formatTime(at),
        })),
        failed: latestFailures(deploys).map(describeDeploy),
      },
      'file-sync-storage-status': { deployed },
      'file-sync-client-status': { 'all-synced': true, 'file-sync-clients': {} },
    });
  },
);

/** `GET /code-manager/v1/deploys/status/<number>`: one deploy. */
export const getCodeDeployStatus = createRoute<CodeRouteServices>(
  'GET',
  '/code-manager/v1/deploys/status/:id',
  async (context, services) => {
    const deployer = await demandDeployer(context, services);
    return sendDeploy(context, services, deployer, context.req.param('id') ?? '');
  },
);

async function sendDeploy(
  context: HttpContext,
  { code }: CodeRouteServices,
  deployer: Deployer,
  id: string,
): Promise<Response> {
  const deploy = /^\d{1,12}$/.test(id) ? await code.get(Number(id)) : null;
  if (deploy !== null) {
    await deployer.demand(deploy.environment);
    return sendJson(context, describeDeploy(deploy));
  }
  throw jsonRefusal(404, 'puppetlabs.code-manager/deploy-not-found', `There is no deploy ${id}`);
}

interface DeployRequest {
  /** Null for all environments. */
  readonly environments: readonly string[] | null;
  readonly wait: boolean;
  /** Whether all nodes have the code at once, whatever the policy says. */
  readonly forAll: boolean;
  readonly dryRun: boolean;
}

function readRequest(body: Readonly<Record<string, unknown>>): DeployRequest {
  const unknown = Object.keys(body).filter((key) => !KEYS.has(key));
  if (unknown.length > 0) throw createMalformedError(`unknown keys: ${unknown.join(', ')}`);
  const { environments, wait, stage, 'deploy-all': all, 'dry-run': dryRun } = body;
  for (const [key, value] of Object.entries({ wait, stage, 'deploy-all': all, 'dry-run': dryRun })) {
    if (value !== undefined && typeof value !== 'boolean') throw createMalformedError(`'${key}' must be true or false`);
  }
  const isDry = dryRun === true;
  const common = { wait: wait === true, forAll: stage === false, dryRun: isDry };
  if (all === true || (isDry && environments === undefined)) return { environments: null, ...common };
  if (!Array.isArray(environments) || environments.length === 0) {
    throw createMalformedError("either 'deploy-all' must be true or 'environments' a list of names");
  }
  const invalid = environments.filter((name) => typeof name !== 'string' || !/^\w+$/.test(name));
  if (invalid.length > 0) throw createMalformedError(`invalid environment names: ${JSON.stringify(invalid)}`);
  return { environments: [...new Set(environments.map(String))], ...common };
}

function createMalformedError(message: string) {
  return jsonRefusal(400, MALFORMED, message);
}

function describeQueued({ environment, id }: CodeDeploy) {
  return { environment, id, status: 'queued' };
}

function describeDeploy({ environment, id, status, codeId, error, isStaged }: CodeDeploy) {
  if (status === 'failed') {
    const failure = { kind: 'puppetlabs.code-manager/deploy-failure', msg: error, 'corrected-env-name': environment };
    return { environment, id, status, error: failure };
  }
  const commits = { 'environment-commit': codeId, 'code-commit': codeId };
  return {
    environment,
    id,
    status,
    'deploy-signature': codeId,
    'file-sync': commits,
    ...(isStaged && { staged: true }),
  };
}

/** The failed deploys of environments without a later deploy. `deploys`: newest first. */
function latestFailures(deploys: readonly CodeDeploy[]): readonly CodeDeploy[] {
  const seen = new Set<string>();
  return deploys.filter(({ environment, status }) => {
    const isLatest = !seen.has(environment);
    seen.add(environment);
    return isLatest && status === 'failed';
  });
}

async function listInForce({ code }: CodeRouteServices, deployer: Deployer) {
  const records = await selectDeployable(deployer, await code.inForce(), ({ name }) => name);
  return records.map(({ name, codeId, deployedAt }) => ({
    environment: name,
    date: formatTime(deployedAt),
    'deploy-signature': codeId,
  }));
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
