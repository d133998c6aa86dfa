import { matchedRoutes } from 'hono/route';
import { type AccessErrorKind, AccessRefused } from '../access/accounts/access-control.ts';
import { DirectoryRefused } from '../access/directory/ldap-settings.ts';
import { GroupRefused } from '../fleet/groups/group-refused.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { annotateRequest } from './access-log.ts';
import { BodyRefused } from './body/body-kinds.ts';
import type { HttpContext } from './endpoint.ts';
import { JSON_TYPE, Refusal } from './exchange/answers.ts';
import { GROUP_STATUSES } from './routes/classifier/classifier-endpoint.ts';
import type { RequestLog } from './services.ts';

const STATUSES: Readonly<Record<AccessErrorKind, number>> = {
  'malformed-request': 400,
  'schema-violation': 400,
  'inconsistent-id': 400,
  'invalid-id-filter': 400,
  'invalid-uuid': 400,
  'invalid-token': 400,
  'user-unauthenticated': 401,
  'user-revoked': 401,
  'api-user-login': 401,
  'permission-denied': 403,
  'admin-user-immutable': 403,
  'admin-user-not-in-admin-role': 403,
  'default-roles-immutable': 403,
  'token-revoked': 403,
  'token-expired': 403,
  'token-timed-out': 403,
  'not-found': 404,
  conflict: 409,
  'invalid-associated-id': 422,
  'too-many-attempts': 429,
  overloaded: 503,
  'directory-unavailable': 503,
};

/** The path for logs: the pattern of the route, because the path itself may hold a token. */
export function patternOfRoute(context: HttpContext): string {
  return matchedRoutes(context).at(-1)?.path ?? '/*';
}

/** The answer to an error of a route, in the form of Puppet Enterprise's RBAC service. */
export function answerAccessFault(error: Error, context: HttpContext, log: RequestLog): Response {
  if (error instanceof AccessRefused) {
    const { kind, message, details } = error;
    annotateRequest(context, { reason: kind });
    const wait = details.retry_after;
    return sendAccessError(STATUSES[kind], kind, message, details, typeof wait === 'number' ? wait : null);
  }
  if (error instanceof DirectoryRefused) {
    annotateRequest(context, { reason: error.kind });
    return sendAccessError(STATUSES[error.kind], error.kind, error.message);
  }
  if (error instanceof GroupRefused) {
    const { kind, message, details } = error;
    annotateRequest(context, { reason: kind });
    return sendAccessError(GROUP_STATUSES[kind], kind, message, details);
  }
  if (error instanceof Refusal) return error.response();
  if (error instanceof BodyRefused) {
    annotateRequest(context, { reason: error.fault });
    return sendAccessError(error.status, 'malformed-request', error.message);
  }
  const { method } = context.req;
  if (!context.req.raw.signal.aborted) log.logError(`The request ${method} ${patternOfRoute(context)} failed`, error);
  if (error instanceof StoreUnavailable)
    return sendAccessError(503, 'server-error', 'The store does not answer', {}, 30);
  if (error instanceof StoreRefused) return sendAccessError(503, 'server-error', 'The store cannot be used', {}, 120);
  return sendAccessError(500, 'server-error', 'An error of the server; its log has more');
}

/** An error in the form of Puppet Enterprise's services: `{kind, msg, details}`. */
export function sendAccessError(
  status: number,
  kind: string,
  msg: string,
  details: unknown = {},
  retryAfterSeconds: number | null = null,
): Response {
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (retryAfterSeconds !== null) headers['Retry-After'] = String(retryAfterSeconds);
  return new Response(JSON.stringify({ kind, msg, details }), { status, headers });
}
