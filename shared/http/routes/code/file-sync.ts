import type { CodeDeploy } from '../../../fleet/code/code-deploys.ts';
import { type Deployer, demandDeployer, selectDeployable } from '../../deploy-token.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CodeRouteServices } from '../../services.ts';

/** Name of Puppet Enterprise file sync's only repository; environments are its submodules. */
const REPO = 'puppet-code';
const MALFORMED = 'user-data-invalid';

/**
 * `POST /file-sync/v1/commit` deploys staged code: of all environments (`commit-all`), or of one
 * (`repo-id` and `submodule-id`). `POST /file-sync/v1/publish` and `/force-sync` deploy all.
 * Compilers see the code at once, so no synchronisation follows.
 */
export const fileSyncEndpoints: readonly Endpoint<CodeRouteServices>[] = ['commit', 'publish', 'force-sync'].map(
  (verb) =>
    createRoute('POST', `/file-sync/v1/${verb}`, async (context, services) => {
      const deployer = await demandDeployer(context, services);
      const environments = await chooseEnvironments(context, services, deployer, verb === 'commit');
      const deploys: CodeDeploy[] = [];
      for (const environment of environments) deploys.push(await services.code.deploy(environment, deployer, true));
      const failed = deploys.some(({ status }) => status === 'failed');
      const submodules = Object.fromEntries(deploys.map((deploy) => [deploy.environment, describeCommit(deploy)]));
      return sendJson(context, { [REPO]: { status: failed ? 'failed' : 'successful', submodules } });
    }),
);

/** `GET /file-sync/v1/latest-commits`: the code in force, by environment. */
export const getLatestCommits = createRoute<CodeRouteServices>(
  'GET',
  '/file-sync/v1/latest-commits',
  async (context, services) => {
    const deployer = await demandDeployer(context, services);
    const records = await selectDeployable(deployer, await services.code.inForce(), ({ name }) => name);
    const submodules = records.map(({ name, codeId, deployedAt, by }) => [
      name,
      { commit: codeId, date: new Date(deployedAt).toISOString(), message: '', author: { name: by, email: '' } },
    ]);
    return sendJson(context, { [REPO]: { submodules: Object.fromEntries(submodules) } });
  },
);

/** The environments to deploy. Refuses (403) those that the deployer may not. */
async function chooseEnvironments(
  context: HttpContext,
  services: CodeRouteServices,
  deployer: Deployer,
  isCommit: boolean,
): Promise<readonly string[]> {
  const one = isCommit ? await readEnvironment(context) : null;
  await deployer.demand(one ?? '*');
  return one === null ? services.code.source.listEnvironments() : [one];
}

/** The environment of a commit; null for all. */
async function readEnvironment(context: HttpContext): Promise<string | null> {
  const body = await readJsonObject(context, MALFORMED);
  const { 'commit-all': all, 'repo-id': repo, 'submodule-id': environment } = body;
  if (all === true) return null;
  if (repo !== REPO) throw jsonRefusal(400, MALFORMED, `either 'commit-all' must be true or 'repo-id' '${REPO}'`);
  if (environment === undefined) return null;
  if (typeof environment !== 'string' || !/^\w+$/.test(environment)) {
    throw jsonRefusal(400, MALFORMED, "'submodule-id' must be the name of an environment");
  }
  return environment;
}

function describeCommit({ status, codeId, error }: CodeDeploy) {
  if (status !== 'failed') return { commit: codeId, status: 'successful' };
  return { commit: null, status: 'failed', error: { type: 'deploy-failure', message: error } };
}
