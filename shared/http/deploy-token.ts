import { type DeployToken, findToken } from '../access/tokens/deploy-tokens.ts';
import type { HttpContext } from './endpoint.ts';
import { jsonRefusal } from './exchange/answers.ts';
import type { HttpServices } from './services.ts';

/**
 * The deploy token of a request: header `X-Authentication` (or `Authorization: Bearer`), or
 * parameter `token`. Refuses a missing or invalid token like Puppet Enterprise.
 */
export async function demandToken(context: HttpContext, services: HttpServices): Promise<DeployToken> {
  const secret = secretOf(context);
  const token = secret === null ? null : await findToken(services, secret);
  if (token) return token;
  const message = secret === null ? 'Route requires authentication' : 'The token is unknown or has expired';
  throw jsonRefusal(401, 'puppetlabs.rbac/user-unauthenticated', message);
}

function secretOf({ req }: HttpContext): string | null {
  const given = req.header('X-Authentication') ?? /^Bearer (\S+)$/i.exec(req.header('Authorization') ?? '')?.[1];
  return given ?? req.query('token') ?? null;
}
