import { Hono } from 'hono';
import type { Clock } from '../../store/ports/clock.ts';
import { answerAccessFault, patternOfRoute, sendAccessError } from '../access-fault.ts';
import { recordAccesses } from '../access-log.ts';
import type { Bindings } from '../endpoint.ts';
import { refusePath } from '../exchange/request-path.ts';
import { mountRoutes } from '../route.ts';
import type { AccessApi, AccessEndpoint } from '../routes/access/access-endpoint.ts';
import { activityEndpoints } from '../routes/access/activities.ts';
import { directoryEndpoints } from '../routes/access/directories.ts';
import { deleteGroup, getGroup, getGroups, groupCreationEndpoints, putGroup } from '../routes/access/groups.ts';
import {
  postAuthReset,
  postPasswordReset,
  postValidateLogin,
  postValidatePassword,
  putCurrentPassword,
} from '../routes/access/passwords.ts';
import { getPermitted, getPermittedOf, getTypes, postPermitted } from '../routes/access/permissions.ts';
import { deleteRole, getRole, getRoles, postRoles, putRole, roleCommandEndpoints } from '../routes/access/roles.ts';
import { samlEndpoints } from '../routes/access/saml.ts';
import { deleteToken, deleteTokens } from '../routes/access/token-revocation.ts';
import { getUserTokens, postAuthenticate, postAuthToken, postTokens } from '../routes/access/tokens.ts';
import {
  deleteUser,
  getCurrentUser,
  getUser,
  getUsers,
  getUsersPage,
  postUsers,
  putUser,
  userCommandEndpoints,
} from '../routes/access/users.ts';
import {
  getCheckedNode,
  getCheckedNodes,
  postClassified,
  postClassifiedV2,
  postExplanation,
} from '../routes/classifier/classified-nodes.ts';
import type { ClassifierEndpoint, ClassifierServices } from '../routes/classifier/classifier-endpoint.ts';
import {
  getClassEnvironment,
  getClassEnvironments,
  getClassesOfEnvironment,
  getClassOfEnvironment,
  getDeclaredClasses,
  getLastClassUpdate,
  postUpdateClasses,
} from '../routes/classifier/declared-classes.ts';
import { getGroupClass, getGroupClasses, postGroupCheck } from '../routes/classifier/group-classes.ts';
import { getGroupNodes, getGroupRules, postGroupPreview, postTranslateRule } from '../routes/classifier/group-rules.ts';
import {
  deleteNodeGroup,
  getGroupChildren,
  getNodeGroup,
  getNodeGroups,
  postNodeGroup,
  postNodeGroups,
  postPin,
  postUnpin,
  postUnpinFromAll,
  postValidateGroup,
  putNodeGroup,
} from '../routes/classifier/groups.ts';
import { postImportHierarchy } from '../routes/classifier/import-hierarchy.ts';
import type { RequestLog } from '../services.ts';
import { mountAbsentApis } from './absent-apis.ts';
import { DOOR_SERVICES, type DoorStatus, mountDoorStatus } from './door-status.ts';

const ENDPOINTS: readonly AccessEndpoint[] = [
  postAuthToken,
  postTokens,
  postAuthenticate,
  deleteTokens,
  deleteToken,
  getUserTokens,
  getUsers,
  getUsersPage,
  getCurrentUser,
  getUser,
  postUsers,
  putUser,
  deleteUser,
  ...userCommandEndpoints,
  postPasswordReset,
  postAuthReset,
  putCurrentPassword,
  postValidatePassword,
  postValidateLogin,
  getGroups,
  getGroup,
  ...groupCreationEndpoints,
  putGroup,
  deleteGroup,
  getRoles,
  getRole,
  postRoles,
  putRole,
  deleteRole,
  ...roleCommandEndpoints,
  ...directoryEndpoints,
  ...samlEndpoints,
  ...activityEndpoints,
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
  getGroupNodes,
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
  postGroupPreview,
  getGroupClasses,
  getGroupClass,
  postGroupCheck,
  postClassified,
  postClassifiedV2,
  postExplanation,
  getCheckedNodes,
  getCheckedNode,
];

interface AccessAppServices extends AccessApi {
  /** Node groups; without them, the app has no classifier API. */
  readonly classifier?: ClassifierServices;
  readonly clock: Clock;
  /** The state of the services, for health checks; without it, the app has none. */
  readonly status?: DoorStatus;
  readonly log: RequestLog;
}

/**
 * The application of the access API and of the classifier, in the form of Puppet Enterprise's RBAC
 * and classifier services.
 */
export function createAccessApp(services: AccessAppServices): Hono<{ Bindings: Bindings }> {
  const { clock, log } = services;
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(recordAccesses(log.access, clock, patternOfRoute));
  app.use(async (context, next) => refusePath(new URL(context.req.url).pathname) ?? next());
  mountRoutes(app, ENDPOINTS, (endpoint, context) => endpoint.handle(context, services));
  const { classifier } = services;
  if (classifier !== undefined) {
    const api = { ...classifier, access: services.access, isRevoked: services.isRevoked };
    mountRoutes(app, CLASSIFIER_ENDPOINTS, (endpoint, context) => endpoint.handle(context, api));
  }
  mountAbsentApis(app, 'access');
  if (services.status !== undefined) mountDoorStatus(app, DOOR_SERVICES.console, services.status);
  app.notFound((context) => sendAccessError(404, 'not-found', `There is nothing at ${context.req.path}`));
  app.onError((error, context) => answerAccessFault(error, context, log));
  return app;
}
