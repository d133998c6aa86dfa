import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type AccessErrorKind, AccessRefused } from '../access/accounts/access-refused.ts';
import type { Clock } from '../store/ports/clock.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { AccessRecorder, annotateRequest } from './access-log.ts';
import type { Bindings, HttpContext } from './endpoint.ts';
import { JSON_TYPE, Refusal } from './exchange/answers.ts';
import { refusePath } from './exchange/request-path.ts';
import type { AccessApi, AccessEndpoint } from './routes/access/access-endpoint.ts';
import { deleteGroup, getGroup, getGroups, postGroups, putGroup } from './routes/access/groups.ts';
import { getPermitted, getPermittedOf, getTypes, postPermitted } from './routes/access/permissions.ts';
import { deleteRole, getRole, getRoles, postRoles, putRole, roleCommandEndpoints } from './routes/access/roles.ts';
import { deleteToken, deleteTokens } from './routes/access/token-revocation.ts';
import { getUserTokens, postAuthenticate, postAuthToken, postTokens } from './routes/access/tokens.ts';
import {
  deleteUser,
  getCurrentUser,
  getUser,
  getUsers,
  postUsers,
  putUser,
  userCommandEndpoints,
} from './routes/access/users.ts';
import type { RequestLog } from './services.ts';

const ENDPOINTS: readonly AccessEndpoint[] = [
  postAuthToken,
  postTokens,
  postAuthenticate,
  deleteTokens,
  deleteToken,
  getUserTokens,
  getUsers,
  getCurrentUser,
  getUser,
  postUsers,
  putUser,
  deleteUser,
  ...userCommandEndpoints,
  getGroups,
  getGroup,
  postGroups,
  putGroup,
  deleteGroup,
  getRoles,
  getRole,
  postRoles,
  putRole,
  deleteRole,
  ...roleCommandEndpoints,
  getTypes,
  postPermitted,
  getPermitted,
  getPermittedOf,
];

export interface AccessAppServices extends AccessApi {
  readonly clock: Clock;
  readonly log: RequestLog;
}

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
};

/** The application of the access API, in the form of Puppet Enterprise's RBAC service. */
export function createAccessApp(services: AccessAppServices): Hono<{ Bindings: Bindings }> {
  const { clock, log } = services;
  const app = new Hono<{ Bindings: Bindings }>();
  const recorder = new AccessRecorder(log.access ?? (() => {}), clock);
  app.use(async (context, next) => {
    const began = clock.now();
    await next();
    const answer = recorder.record(context, context.res, began, patternOf(context));
    if (answer !== context.res) context.res = answer;
  });
  app.use(async (context, next) => refusePath(new URL(context.req.url).pathname) ?? next());
  for (const endpoint of ENDPOINTS) {
    app.on([...endpoint.methods], endpoint.path, (context) => endpoint.handle(context, services));
  }
  app.notFound((context) => sendError(404, 'not-found', `There is nothing at ${context.req.path}`));
  app.onError((error, context) => answerTo(error, context, log));
  return app;
}

/** The path for logs: the pattern of the route, because the path itself may hold a token. */
function patternOf(context: HttpContext): string {
  return matchedRoutes(context).at(-1)?.path ?? '/*';
}

function answerTo(error: Error, context: HttpContext, log: RequestLog): Response {
  if (error instanceof AccessRefused) {
    const { kind, message, details } = error;
    annotateRequest(context, { reason: kind });
    const wait = details.retry_after;
    return sendError(STATUSES[kind], kind, message, details, typeof wait === 'number' ? wait : null);
  }
  if (error instanceof Refusal) return error.response();
  const { method } = context.req;
  if (!context.req.raw.signal.aborted) log.logError(`The request ${method} ${patternOf(context)} failed`, error);
  if (error instanceof StoreUnavailable) return sendError(503, 'server-error', 'The store does not answer', {}, 30);
  if (error instanceof StoreRefused) return sendError(503, 'server-error', 'The store cannot be used', {}, 120);
  return sendError(500, 'server-error', 'An error of the server; its log has more');
}

function sendError(
  status: number,
  kind: string,
  msg: string,
  details: Readonly<Record<string, unknown>> = {},
  retryAfterSeconds: number | null = null,
): Response {
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (retryAfterSeconds !== null) headers['Retry-After'] = String(retryAfterSeconds);
  return new Response(JSON.stringify({ kind, msg, details }), { status, headers });
}
