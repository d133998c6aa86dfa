import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type AccessErrorKind, AccessRefused } from '../access/accounts/access-refused.ts';
import { GroupRefused } from '../fleet/groups/group-refused.ts';
import type { Clock } from '../store/ports/clock.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { annotateRequest, recordAccesses } from './access-log.ts';
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
import {
  getCheckedNode,
  getCheckedNodes,
  postClassified,
  postClassifiedV2,
  postExplanation,
} from './routes/classifier/classified-nodes.ts';
import {
  type ClassifierEndpoint,
  type ClassifierServices,
  GROUP_STATUSES,
} from './routes/classifier/classifier-endpoint.ts';
import {
  getClassEnvironment,
  getClassEnvironments,
  getClassesOfEnvironment,
  getClassOfEnvironment,
  getDeclaredClasses,
  getLastClassUpdate,
  postUpdateClasses,
} from './routes/classifier/declared-classes.ts';
import { getGroupRules, postTranslateRule } from './routes/classifier/group-rules.ts';
import {
  deleteNodeGroup,
  getGroupChildren,
  getNodeGroup,
  getNodeGroups,
  postNodeGroup,
  postNodeGroups,
  postValidateGroup,
  putNodeGroup,
} from './routes/classifier/groups.ts';
import { postImportHierarchy } from './routes/classifier/import-hierarchy.ts';
import { postPin, postUnpin, postUnpinFromAll } from './routes/classifier/pins.ts';
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

const CLASSIFIER_ENDPOINTS: readonly ClassifierEndpoint[] = [
  getNodeGroups,
  getNodeGroup,
  postNodeGroups,
  putNodeGroup,
  postNodeGroup,
  deleteNodeGroup,
  postValidateGroup,
  getGroupChildren,
  getGroupRules,
  postTranslateRule,
  postPin,
  postUnpin,
  postUnpinFromAll,
  getDeclaredClasses,
  getClassEnvironments,
  getClassEnvironment,
  getClassesOfEnvironment,
  getClassOfEnvironment,
  getLastClassUpdate,
  postUpdateClasses,
  postImportHierarchy,
  postClassified,
  postClassifiedV2,
  postExplanation,
  getCheckedNodes,
  getCheckedNode,
];

export interface AccessAppServices extends AccessApi {
  /** Node groups; without them, the app has no classifier API. */
  readonly classifier?: ClassifierServices;
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

/**
 * The application of the access API and of the classifier, in the form of Puppet Enterprise's RBAC
 * and classifier services.
 */
export function createAccessApp(services: AccessAppServices): Hono<{ Bindings: Bindings }> {
  const { clock, log } = services;
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(recordAccesses(log.access, clock, patternOf));
  app.use(async (context, next) => refusePath(new URL(context.req.url).pathname) ?? next());
  for (const endpoint of ENDPOINTS) {
    app.on([...endpoint.methods], endpoint.path, (context) => endpoint.handle(context, services));
  }
  const { classifier } = services;
  if (classifier !== undefined) {
    const api = { ...classifier, access: services.access, isRevoked: services.isRevoked };
    for (const endpoint of CLASSIFIER_ENDPOINTS) {
      app.on([...endpoint.methods], endpoint.path, (context) => endpoint.handle(context, api));
    }
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
  if (error instanceof GroupRefused) {
    const { kind, message, details } = error;
    annotateRequest(context, { reason: kind });
    return sendError(GROUP_STATUSES[kind], kind, message, details);
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
  details: unknown = {},
  retryAfterSeconds: number | null = null,
): Response {
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (retryAfterSeconds !== null) headers['Retry-After'] = String(retryAfterSeconds);
  return new Response(JSON.stringify({ kind, msg, details }), { status, headers });
}
