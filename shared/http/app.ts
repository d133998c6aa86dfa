import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AuthorizationDecision } from '../access/authorization/authorization.ts';
import { CertificateRequestRejected } from '../access/ca/certificate-request.ts';
import { PuppetError } from '../puppet/errors/puppet-error.ts';
import { languageOf } from '../puppet/levels/language.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { AccessRecorder, annotateRequest } from './access-log.ts';
import { BODIES, BodyRefused } from './body/body-kinds.ts';
import { checkEncoding } from './body/read-body.ts';
import type { Bindings, Endpoint, HttpContext, Peer } from './endpoint.ts';
import { endpointsElsewhere, endpointsFor } from './endpoints.ts';
import {
  bodyError,
  internalServerError,
  noHandler,
  plainRefusal,
  Refusal,
  sendForbidden,
  unavailableError,
} from './exchange/answers.ts';
import { limitAnswerSize } from './exchange/largest-answer.ts';
import { refusePath } from './exchange/request-path.ts';
import { isRevokedPeer } from './revoked-peer.ts';
import { mountRoutes } from './route.ts';
import type { HttpServices } from './services.ts';
import { createMisdirectedRefusal, readForwarded } from './upstream/forwarded-request.ts';

/**
 * Puppet Server's path prefixes: below them, a path without a rule is forbidden rather than not
 * found.
 */
const KNOWN_PATHS =
  /^\/(puppet\/v3\/(environment_classes|environment_modules|environment_transports|plans|compile)|puppet\/v4\/catalog|puppet-ca\/v1\/(certificate_status(es)?|clean|sign|expirations)|puppet-admin-api|status)(\/|$)/;

/**
 * The application behind all front doors. Call `app.fetch(request, bindings)`; the bindings
 * identify the client.
 */
export function createApp(services: HttpServices): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  const access = new AccessRecorder(services.log.access ?? (() => {}), services.clock);
  app.use(async (context, next) => {
    const began = services.clock.now();
    await next();
    const answer = access.record(context, context.res, began);
    if (answer !== context.res) context.res = answer;
    const pattern = matchedRoutes(context).at(-1)?.path ?? '/*';
    services.metrics.request(context.req.method, pattern, context.res.status, services.clock.now() - began);
  });
  app.use(async (context, next) => refusePath(new URL(context.req.url).pathname) ?? next());
  app.use(async (context, next) => {
    context.env = await readForwarded(context, services, (peer) => isRevokedPeer(peer, services));
    await next();
  });
  const { upstream, audience } = services;
  if (upstream !== undefined) {
    // Certificate permissions come from the upstream server's rules.
    app.all('/puppet-ca/*', async (context) => {
      const { peer } = context.env;
      const identity = peer !== null && (await isRevokedPeer(peer, services)) ? null : peer;
      return upstream.authority.forward(context, identity);
    });
  }
  mountRoutes(app, endpointsFor(audience), (endpoint, context) => serve(endpoint, context, services));
  mountRoutes(app, endpointsElsewhere(audience), () => createMisdirectedRefusal(audience).response());
  app.notFound((context) => deny(context, services));
  app.onError((error, context) => {
    const answer = answerTo(error, context, services);
    // Only answers of Puppet's handlers carry the Puppet version; Jetty's own pages do not.
    return answer.headers.get('Content-Type')?.startsWith('text/html')
      ? answer
      : addVersionHeader(services, context.req.path, answer);
  });
  return app;
}

/** An operator has to mend the store: a full disk, a missing permission. */
const BROKEN_SECONDS = 120;

async function serve(endpoint: Endpoint, context: HttpContext, services: HttpServices): Promise<Response> {
  if (!(await isAllowed(endpoint, context, services))) {
    return addVersionHeader(services, context.req.path, sendForbidden(context.req.method, context.req.path));
  }
  checkEncoding(context, {});
  const { keyHolder } = services;
  const response =
    endpoint.needsKey === true && keyHolder !== undefined
      ? await keyHolder.forward(context, context.env.peer, BODIES.certificateRequest)
      : ((await services.compiler.answerInstead(endpoint, context)) ?? (await endpoint.handle(context, services)));
  return addVersionHeader(
    services,
    context.req.path,
    await limitAnswerSize(context, response, services.settings.largeAnswersAt),
  );
}

/**
 * Applies the rules. A client with a revoked certificate counts as one without a certificate, so
 * that its owner can still request a new one.
 */
async function isAllowed(endpoint: Endpoint, context: HttpContext, services: HttpServices): Promise<boolean> {
  const { peer } = context.env;
  const isCancelled = peer !== null && (await isRevokedPeer(peer, services));
  const identity = isCancelled ? null : peer;
  const { allowed, rule } = judge(context, services, identity);
  const isOther = endpoint.onlyNodeItself === true && context.req.param('certname') !== identity?.certname;
  const isMisused = context.env.isForwarded === true && endpoint.needsKey !== true;
  const isAllowed = allowed && !isOther && !isMisused;
  annotateRequest(context, { rule, ...(isAllowed ? {} : { reason: isCancelled ? 'revoked' : 'forbidden' }) });
  return isAllowed;
}

function judge(context: HttpContext, services: HttpServices, identity: Peer | null): AuthorizationDecision {
  const { pathname, searchParams } = new URL(context.req.url);
  const path = decodeURIComponent(pathname).replace(/\/{2,}/g, '/');
  return services.authorization.judge({ method: context.req.method, path, query: searchParams, identity });
}

/**
 * Denies a request without an endpoint: 403 below known paths that the rules do not allow, else
 * 404. Below `/puppet`, clients without a certificate always get 403, so that they cannot probe for
 * paths.
 */
// Differs from Puppet: it reveals to every client which paths below `/puppet` do not exist.
function deny(context: HttpContext, services: HttpServices): Response {
  const { path, method } = context.req;
  const { peer } = context.env;
  const isForbidden = KNOWN_PATHS.test(path) && !judge(context, services, peer).allowed;
  if (isForbidden || (/^\/puppet/.test(path) && peer === null)) {
    annotateRequest(context, { reason: 'forbidden' });
    return addVersionHeader(services, path, sendForbidden(method, path));
  }
  return noHandler(method, path, context.req.header('Accept'));
}

function addVersionHeader({ settings }: HttpServices, path: string, response: Response): Response {
  const isPassedOn = response.headers.has('X-Puppet-Version');
  if (/^\/puppet(-ca)?\//.test(path) && !isPassedOn) {
    response.headers.set('X-Puppet-Version', languageOf(settings.language).release);
  }
  return response;
}

function answerTo(error: Error, context: HttpContext, services: HttpServices): Response {
  if (error instanceof Refusal) return error.response();
  if (error instanceof BodyRefused) return bodyError(error).response();
  if (error instanceof CertificateRequestRejected) return plainRefusal(400, error.message).response();
  if (error instanceof PuppetError) return internalServerError(error.message).response();
  // The client closed the connection within its body: not our fault, and nobody reads the answer.
  if (!context.req.raw.signal.aborted) {
    services.log.logError(`The request ${context.req.method} ${context.req.path} failed`, error);
  }
  if (error instanceof StoreUnavailable) return unavailableError('the store does not answer', 30).response();
  if (error instanceof StoreRefused) return unavailableError('the store cannot be used', BROKEN_SECONDS).response();
  return internalServerError('Internal error; the server log has the details').response();
}
