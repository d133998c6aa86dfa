import type { HttpContext } from '../endpoint.ts';

/**
 * The token of a request: header `X-Authentication` (or `Authorization: Bearer`), or parameter
 * `token`; null without one.
 */
export function requestToken({ req }: HttpContext): string | null {
  const given = req.header('X-Authentication') ?? /^Bearer (\S+)$/i.exec(req.header('Authorization') ?? '')?.[1];
  return given ?? req.query('token') ?? null;
}
