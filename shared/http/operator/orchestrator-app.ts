import { Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { describeUnusableTask } from '../../orchestrator/jobs/job-service.ts';
import { OrchestratorError } from '../../orchestrator/jobs/orchestrator-error.ts';
import { invalidRequest, type JsonObject } from '../../orchestrator/jobs/request-body.ts';
import { InvalidPlan } from '../../orchestrator/plans/plan-metadata.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { recordAccesses } from '../access-log.ts';
import { BODIES, BodyRefused } from '../body/body-kinds.ts';
import type { Bindings, HttpContext } from '../endpoint.ts';
import { JSON_TYPE, Refusal } from '../exchange/answers.ts';
import { sendJson } from '../exchange/content-encoding.ts';
import { isNotJson, readJsonValue } from '../exchange/request-body.ts';
import { refusePath } from '../exchange/request-path.ts';
import { requestToken } from '../exchange/request-token.ts';
import { mountRoutes } from '../route.ts';
import { agentEndpoints, inventoryEndpoints } from '../routes/orchestrator/agents.ts';
import { commandEndpoints } from '../routes/orchestrator/commands.ts';
import { jobEndpoints } from '../routes/orchestrator/jobs.ts';
import type {
  OrchestratorEndpoint,
  OrchestratorRequest,
  OrchestratorServices,
} from '../routes/orchestrator/orchestrator-endpoint.ts';
import { overviewEndpoints } from '../routes/orchestrator/overview.ts';
import { planJobEndpoints } from '../routes/orchestrator/plan-jobs.ts';
import { runOrderEndpoints } from '../routes/orchestrator/run-order.ts';
import { scheduleEndpoints } from '../routes/orchestrator/schedules.ts';
import { taskEndpoints } from '../routes/orchestrator/tasks.ts';
import type { RequestLog } from '../services.ts';
import { mountAbsentApis } from './absent-apis.ts';
import { DOOR_SERVICES, type DoorStatus, mountDoorStatus } from './door-status.ts';

const ENDPOINTS: readonly OrchestratorEndpoint[] = [
  ...overviewEndpoints,
  ...commandEndpoints,
  ...jobEndpoints,
  ...runOrderEndpoints,
  ...planJobEndpoints,
  ...inventoryEndpoints,
  ...agentEndpoints,
  ...taskEndpoints,
  ...scheduleEndpoints,
];

const BASE = '/orchestrator/v1';

interface OrchestratorAppServices extends OrchestratorServices {
  readonly log: RequestLog;
  /** The state of the services, for health checks; without it, the app has none. */
  readonly status?: DoorStatus;
}

/**
 * The application of the orchestrator's API, as Puppet Enterprise has it on port 8143. Every route
 * needs a token of a user who may view the orchestrator.
 */
export function createOrchestratorApp(services: OrchestratorAppServices): Hono<{ Bindings: Bindings }> {
  const { log, stores } = services;
  // Clients ask for the root with a slash behind it.
  const app = new Hono<{ Bindings: Bindings }>({ strict: false });
  app.use(recordAccesses(log.access, stores.clock));
  app.use(async (context, next) => refusePath(new URL(context.req.url).pathname) ?? next());
  const serve = (endpoint: OrchestratorEndpoint, context: HttpContext) => answerRequest(endpoint, context, services);
  mountRoutes(app, ENDPOINTS, serve, BASE);
  const root = ENDPOINTS.filter(({ path }) => path === '');
  mountRoutes(app, root, serve, '/orchestrator');
  mountAbsentApis(app, 'orchestrator');
  if (services.status !== undefined) mountDoorStatus(app, DOOR_SERVICES.orchestrator, services.status);
  app.notFound((context) => {
    return sendError(404, 'puppetlabs.orchestrator/not-found', `There is nothing at ${context.req.path}`);
  });
  app.onError((error, context) => answerError(error, context, log));
  return app;
}

async function answerRequest(
  endpoint: OrchestratorEndpoint,
  context: HttpContext,
  services: OrchestratorAppServices,
): Promise<Response> {
  const { permissions } = services;
  const query = new URL(context.req.url).searchParams;
  const subject = await permissions.authenticate(requestToken(context));
  await permissions.demand(subject, 'orchestrator', 'view');
  const request: OrchestratorRequest = {
    subject,
    base: `https://${context.req.header('Host') ?? new URL(context.req.url).host}${BASE}`,
    query,
    param: (name) => context.req.param(name) ?? '',
    readBody: () => readJsonBody(context),
  };
  const { status, body } = await endpoint.handle(request, services);
  if (status === 204) return new Response(null, { status });
  if (status === 200) return sendJson(context, body);
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': JSON_TYPE } });
}

async function readJsonBody(context: HttpContext): Promise<JsonObject> {
  const parsed = await readJsonValue(context, BODIES.job).catch((error: unknown) => {
    throw isNotJson(error) ? invalidRequest(`The body is not JSON: ${error.json.reason}`) : error;
  });
  if (isJsonObject(parsed)) return parsed;
  throw invalidRequest('The body must be a JSON object');
}

function answerError(error: Error, context: HttpContext, log: RequestLog): Response {
  if (error instanceof OrchestratorError) return sendError(error.status, error.kind, error.message, error.details);
  if (error instanceof InvalidPlan) return sendError(400, 'puppetlabs.orchestrator/invalid-plan', error.message);
  const unusable = describeUnusableTask(error);
  if (unusable !== null) return sendError(400, unusable.kind, unusable.msg, unusable.details);
  if (error instanceof Refusal) return error.response();
  if (error instanceof BodyRefused) {
    return sendError(error.status, 'puppetlabs.orchestrator/invalid-request', error.message);
  }
  if (!context.req.raw.signal.aborted) {
    const pattern = matchedRoutes(context).at(-1)?.path ?? '/*';
    log.logError(`The request ${context.req.method} ${pattern} failed`, error);
  }
  const message = 'Internal error; the server log has the details';
  return sendError(500, 'puppetlabs.orchestrator/unknown-error', message);
}

function sendError(status: number, kind: string, msg: string, details: JsonObject = {}): Response {
  return new Response(JSON.stringify({ kind, msg, details }), { status, headers: { 'Content-Type': JSON_TYPE } });
}
