import type { Subject } from '../access/accounts/access-control.ts';
import { findToken } from '../access/tokens/deploy-tokens.ts';
import type { DeployedBy } from '../fleet/code/code-deploys.ts';
import { annotateRequest } from './access-log.ts';
import type { HttpContext } from './endpoint.ts';
import { jsonRefusal } from './exchange/answers.ts';
import { requestToken } from './exchange/request-token.ts';
import type { HttpServices } from './services.ts';

/** Who deploys with the token of a request. */
export interface Deployer extends DeployedBy {
  /** Refuses (403) an environment that this user may not deploy; `*` for all. */
  readonly demand: (environment: string) => Promise<void>;
}

/**
 * Finds the owner of a request's token: a user of the access API, who needs the permission
 * `environment:deploy_code`, or a deploy token (`understudy code token`), which is for all
 * environments. Refuses a missing or invalid token like Puppet Enterprise (401).
 */
export async function demandDeployer(context: HttpContext, services: HttpServices): Promise<Deployer> {
  const secret = requestToken(context);
  if (secret === null) throw createUnauthenticatedError('Route requires authentication');
  const token = await findToken(services, secret);
  if (token !== null) return { by: token.by, demand: async () => {} };
  const found = await services.access.authenticate(secret);
  if (typeof found === 'string') throw createUnauthenticatedError('The token is unknown or has expired');
  const { id, login } = found;
  return {
    by: login,
    author: { id, login },
    demand: (environment) => demandPermission(context, services, found, environment),
  };
}

async function demandPermission(
  context: HttpContext,
  { access }: HttpServices,
  subject: Subject,
  environment: string,
): Promise<void> {
  if (await access.permits(subject, { objectType: 'environment', action: 'deploy_code', instance: environment }))
    return;
  annotateRequest(context, { reason: 'forbidden' });
  const message = `${subject.login} does not have the permission environment:deploy_code:${environment}`;
  throw jsonRefusal(403, 'puppetlabs.rbac/permission-denied', message);
}

function createUnauthenticatedError(message: string) {
  return jsonRefusal(401, 'puppetlabs.rbac/user-unauthenticated', message);
}
