import { isEnvironmentName } from '../puppet/environment/directory-environment.ts';
import type { HttpContext } from './endpoint.ts';
import { badRequestError, notFoundError, type Refusal } from './exchange/answers.ts';
import type { HttpServices } from './services.ts';

/**
 * Reads the `environment` parameter; refuses a missing or invalid one like Puppet's indirected
 * routes.
 */
export function environmentParameter(context: HttpContext): string {
  const environment = context.req.query('environment');
  if (environment === undefined) throw badRequestError('An environment parameter must be specified');
  if (!isEnvironmentName(environment)) {
    throw badRequestError(`The environment must be purely alphanumeric, not '${environment}'`);
  }
  return environment;
}

/** Reads the `environment` parameter; also refuses an environment that is not deployed. */
export async function requireEnvironment(
  context: HttpContext,
  services: Pick<HttpServices, 'environments'>,
): Promise<string> {
  const environment = environmentParameter(context);
  if ((await services.environments.get(environment)) === null) {
    throw await missingEnvironmentError(services, environment);
  }
  return environment;
}

/**
 * Status 404: no environment with this name is deployed, in Puppet Server's words. A server without
 * any code says so.
 */
export async function missingEnvironmentError(
  { environments }: Pick<HttpServices, 'environments'>,
  name: string,
): Promise<Refusal> {
  const hasCode = (await environments.list()).length > 0;
  return notFoundError(`Could not find environment '${name}'${hasCode ? '' : ': no code is deployed on this server'}`);
}
