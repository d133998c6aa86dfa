import { NO_CODE } from '../../../fleet/code/no-code.ts';
import { languageOf } from '../../../puppet/levels/language.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { jsonRefusal, plainRefusal, TEXT_TYPE } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { ServiceState } from '../../health.ts';
import { createRoute } from '../../route.ts';
import type { StatusServices } from '../../services.ts';

/** Services by their health; those of the front door have warnings and counters, too. */
type StatusSource = Pick<StatusServices, 'health'> & {
  readonly settings: Pick<StatusServices['settings'], 'language'>;
} & Partial<Pick<StatusServices, 'environments' | 'readCounters' | 'readWarnings'>>;

const LEVELS = ['critical', 'info', 'debug'];

/**
 * `GET /status/v1/services`: the state of all services; `level=debug` adds counters of queue and
 * catalogs.
 */
export const getServiceStatuses = createRoute<StatusSource>('GET', '/status/v1/services', async (context, services) => {
  const level = readLevel(context);
  const states: Record<string, unknown> = {};
  let isRunning = true;
  for (const name of services.health.names) {
    const described = await describe(name, level, services);
    isRunning &&= described.state === 'running';
    states[name] = described;
  }
  return withStatus(await sendJson(context, states), isRunning);
});

/** `GET /status/v1/services/<service>`: the state of one service. */
export const getServiceStatus = createRoute<StatusSource>(
  'GET',
  '/status/v1/services/:service',
  async (context, services) => {
    const name = context.req.param('service') ?? '';
    const level = readLevel(context);
    if (!services.health.names.includes(name)) {
      throw jsonRefusal(404, 'service-not-found', `No status information found for service ${name}`);
    }
    const described = await describe(name, level, services);
    return withStatus(await sendJson(context, { ...described, service_name: name }), described.state === 'running');
  },
);

async function describe(name: string, level: string, services: StatusSource) {
  const { state, alerts } = await services.health.check(name);
  const isServer = name === 'master' || name === 'server';
  const warnings = isServer && state === 'running' ? await listWarnings(services) : [];
  const hasFigures = level === 'debug' && isServer;
  return {
    service_version: languageOf(services.settings.language).release,
    service_status_version: 1,
    detail_level: level,
    state,
    status: hasFigures ? { experimental: await services.readCounters?.() } : {},
    active_alerts: [
      ...alerts.map((message) => ({ severity: 'critical', message })),
      ...warnings.map((message) => ({ severity: 'warning', message })),
    ],
  };
}

async function listWarnings({ environments, readWarnings }: StatusSource): Promise<readonly string[]> {
  const isEmpty = environments !== undefined && (await environments.list()).length === 0;
  return [...(isEmpty ? [NO_CODE] : []), ...((await readWarnings?.()) ?? [])];
}

/** 503 unless all requested services are running, for clients that check the status code only. */
function withStatus(response: Response, isRunning: boolean): Response {
  return isRunning ? response : new Response(response.body, { status: 503, headers: response.headers });
}

function readLevel(context: HttpContext): string {
  const level = context.req.query('level') ?? 'info';
  if (!LEVELS.includes(level)) throw jsonRefusal(400, 'data-invalid', `Invalid level: :${level}`);
  const timeout = context.req.query('timeout');
  if (timeout !== undefined && !(Number(timeout) > 0)) {
    const message = `Invalid timeout. Timeout must be greater than zero but was ${timeout}`;
    throw jsonRefusal(400, 'data-invalid', message);
  }
  return level;
}

/**
 * `GET /status/v1/simple` and `/simple/<service>`, for load balancers: the state as one word, with
 * status 200 for `running` and 503 for others. `status-service` reports only whether this process
 * answers, regardless of the stores.
 */
export const statusSimpleEndpoints: readonly Endpoint<StatusSource>[] = [
  '/status/v1/simple',
  '/status/v1/simple/:service',
].map((path) =>
  createRoute('GET', path, async (context, services) => {
    const service = context.req.param('service');
    if (service !== undefined && !services.health.names.includes(service)) {
      throw plainRefusal(404, `not found: ${service}`);
    }
    const state = service === undefined ? await findWorstState(services) : (await services.health.check(service)).state;
    return new Response(state, { status: state === 'running' ? 200 : 503, headers: { 'Content-Type': TEXT_TYPE } });
  }),
);

const WORST_FIRST: readonly ServiceState[] = ['error', 'stopping', 'starting'];

async function findWorstState({ health }: StatusSource): Promise<ServiceState> {
  const states = new Set(await Promise.all(health.names.map(async (name) => (await health.check(name)).state)));
  return WORST_FIRST.find((state) => states.has(state)) ?? 'running';
}
