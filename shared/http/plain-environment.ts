import { isEnvironmentName } from '../puppet/environment/directory-environment.ts';
import type { HttpContext } from './endpoint.ts';
import { plainRefusal, Refusal } from './exchange/answers.ts';
import type { OpenedEnvironment } from './files/file-server.ts';
import type { HttpServices } from './services.ts';

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
