import { isEnvironmentName } from '../puppet/environment/directory-environment.ts';
import type { HttpContext } from './endpoint.ts';
import { badRequestError, notFoundError, plainRefusal, Refusal } from './exchange/answers.ts';
import type { OpenedEnvironment } from './files/file-server.ts';
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

/** An environment's name and its open files. */
export interface NamedEnvironment extends OpenedEnvironment {
  readonly name: string;
}

/**
 * The environment of a request, for Puppet Server's own routes (not Ruby's). Refuses a missing or
 * invalid one (400) and one that is not deployed (404) in plain text.
 */
export async function plainEnvironment(
  context: HttpContext,
  services: Pick<HttpServices, 'files'>,
): Promise<NamedEnvironment> {
  const name = context.req.query('environment');
  if (name === undefined) throw plainRefusal(400, 'An environment parameter must be specified');
  if (!isEnvironmentName(name)) {
    throw plainRefusal(400, `The environment must be purely alphanumeric, not '${name}'`);
  }
  const opened = await services.files.open(name);
  if (opened === null) throw plainNotFoundError(`Could not find environment '${name}'`);
  return { ...opened, name };
}

/** 404 in plain text without a content type, as from Puppet Server's own routes. */
export function plainNotFoundError(message: string): Refusal {
  return new Refusal(message, () => new Response(new TextEncoder().encode(message), { status: 404 }));
}
