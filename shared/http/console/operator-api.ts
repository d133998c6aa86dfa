import { Hono } from 'hono';
import { AccessRefused, type Permission, type Subject } from '../../access/accounts/access-control.ts';
import { CertificateRequestRejected } from '../../access/ca/certificate-request.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import { answerAccessFault, patternOfRoute, sendAccessError } from '../access-fault.ts';
import { annotateRequest, recordAccesses } from '../access-log.ts';
import { checkEncoding } from '../body/read-body.ts';
import type { Bindings, HttpContext } from '../endpoint.ts';
import { internalServerError, plainRefusal, unavailableError } from '../exchange/answers.ts';
import { demandPermission, demandSubject } from '../routes/access/access-endpoint.ts';
import type { HttpServices } from '../services.ts';
import { OPERATOR_ROUTES, type OperatorRoute } from './operator-routes.ts';

/**
 * The administration of nodes, certificates and code for users with a token: the endpoints that the
 * front door gives to certificates by its rules. Each needs a permission of the user. Errors of a
 * missing token or permission have the form of the access API.
 */
export function createOperatorApi(services: HttpServices): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(recordAccesses(services.log.access, services.clock));
  for (const route of OPERATOR_ROUTES) {
    const { methods, path } = route.endpoint;
    app.on([...methods], path, (context) => serve(route, context, services));
  }
  app.notFound((context) => sendAccessError(404, 'not-found', `There is nothing at ${context.req.path}`));
  app.onError((error, context) => answerTo(error, context, services));
  return app;
}

async function serve(route: OperatorRoute, context: HttpContext, services: HttpServices): Promise<Response> {
  const { endpoint } = route;
  if (route.permission !== null) {
    const subject = await demandSubject(context, { access: services.access, isRevoked: async () => true });
    await demandFor(route, context, services, subject);
    const permits = (permission: Permission) => services.access.permits(subject, permission);
    const { id, login } = subject;
    context.env = { ...context.env, user: login, author: { id, login }, permits };
  }
  if (endpoint.path.startsWith('/puppet-ca/') && services.upstream !== undefined) {
    return sendAccessError(404, 'not-found', "Another server has this deployment's certificate authority");
  }
  checkEncoding(context, {});
  return endpoint.handle(context, services);
}

async function demandFor(
  { permission }: OperatorRoute,
  context: HttpContext,
  { access }: HttpServices,
  subject: Subject,
): Promise<void> {
  if (permission === null) return;
  const { objectType, action, instance }: Permission =
    typeof permission === 'function' ? permission(context) : permission;
  await demandPermission(access, subject, objectType, action, instance);
  annotateRequest(context, { rule: `${objectType}:${action}:${instance}` });
}

function answerTo(error: Error, context: HttpContext, { log }: HttpServices): Response {
  if (error instanceof AccessRefused) return answerAccessFault(error, context, log);
  if (error instanceof CertificateRequestRejected) return plainRefusal(400, error.message).response();
  if (error instanceof PuppetError) return internalServerError(error.message).response();
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) {
    log.logError(`The request ${context.req.method} ${patternOfRoute(context)} failed`, error);
    return unavailableError('the store does not answer', 30).response();
  }
  return answerAccessFault(error, context, log);
}
