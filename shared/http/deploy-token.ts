import type { Permission } from '../access/accounts/access-control.ts';
import { findToken } from '../access/tokens/deploy-tokens.ts';
import type { DeployedBy } from '../fleet/code/code-deploys.ts';
import { annotateRequest } from './access-log.ts';
import type { HttpContext } from './endpoint.ts';
import { jsonRefusal } from './exchange/answers.ts';
import { requestToken } from './exchange/request-token.ts';
import type { HttpServices } from './services.ts';

/** Who deploys with the token of a request. */
export interface Deployer extends DeployedBy {
  /** Whether this user may deploy an environment; `*` for all. */
  readonly may: (environment: string) => Promise<boolean>;
  /** Refuses (403) an environment that this user may not deploy. */
  readonly demand: (environment: string) => Promise<void>;
  /** Refuses (403) a user who may not find nodes by what is known of them. */
  readonly demandQueries: () => Promise<void>;
}

/**
 * Finds the owner of a request's token: a user of the access API, who needs the permission
 * `environment:deploy_code`, or a deploy token (`understudy code token`), which is for all
 * environments. Refuses a missing or invalid token like Puppet Enterprise (401).
 */
export async function demandDeployer(
  context: HttpContext,
  services: Pick<HttpServices, 'access' | 'documents' | 'clock'>,
): Promise<Deployer> {
  const secret = requestToken(context);
  if (secret === null) throw createUnauthenticatedError('Route requires authentication');
  const token = await findToken(services, secret);
  if (token !== null) {
    const author = { id: token.id, login: token.by, isToken: true } as const;
    return { by: token.by, author, may: async () => true, demand: accept, demandQueries: accept };
  }
  const found = await services.access.authenticate(secret);
  if (typeof found === 'string') throw createUnauthenticatedError('The token is unknown or has expired');
  const { id, login } = found;
  const demandPermission = async (permission: Permission) => {
    if (!(await services.access.permits(found, permission))) throw createDeniedError(context, login, permission);
  };
  return {
    by: login,
    author: { id, login },
    may: (environment) => services.access.permits(found, deployOf(environment)),
    demand: (environment) => demandPermission(deployOf(environment)),
    demandQueries: () => demandPermission(QUERY_NODES),
  };
}

const QUERY_NODES: Permission = { objectType: 'nodes', action: 'view_data', instance: '*' };

const accept = async () => {};

function deployOf(instance: string): Permission {
  return { objectType: 'environment', action: 'deploy_code', instance };
}

function createDeniedError(context: HttpContext, login: string, { objectType, action, instance }: Permission) {
  annotateRequest(context, { reason: 'forbidden' });
  const message = `${login} does not have the permission ${objectType}:${action}:${instance}`;
  return jsonRefusal(403, 'puppetlabs.rbac/permission-denied', message);
}

/** Keeps the items whose environments this user may deploy. */
export async function selectDeployable<T>(
  { may }: Deployer,
  items: readonly T[],
  environmentOf: (item: T) => string,
): Promise<readonly T[]> {
  const permitted = new Map<string, boolean>();
  for (const name of new Set(items.map(environmentOf))) permitted.set(name, await may(name));
  return items.filter((item) => permitted.get(environmentOf(item)) === true);
}

function createUnauthenticatedError(message: string) {
  return jsonRefusal(401, 'puppetlabs.rbac/user-unauthenticated', message);
}
