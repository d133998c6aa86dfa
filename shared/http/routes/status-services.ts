import { jsonRefusal, PUPPET_VERSION } from '../answers.ts';
import { sendJson } from '../content-encoding.ts';
import type { Endpoint, HttpContext } from '../endpoint.ts';
import type { HttpServices } from '../services.ts';

/** Puppet Server's services that monitoring asks for by name, and that we stand in for. */
export const SERVICES: readonly string[] = ['ca', 'master', 'server', 'status-service'];
const LEVELS = ['critical', 'info', 'debug'];

/** `GET /status/v1/services`: the state of all; `level=debug` adds the queue's and the catalogs' figures. */
export const statusServices: Endpoint = {
  methods: ['GET'],
  path: '/status/v1/services',
  async handle(context, services) {
    const level = readLevel(context);
    const states: Record<string, unknown> = {};
    for (const name of SERVICES) states[name] = await state(name, level, services);
    return sendJson(context, states);
  },
};

/** `GET /status/v1/services/<service>` */
export const statusService: Endpoint = {
  methods: ['GET'],
  path: '/status/v1/services/:service',
  async handle(context, services) {
    const name = context.req.param('service') ?? '';
    const level = readLevel(context);
    if (!SERVICES.includes(name)) {
      throw jsonRefusal(404, 'service-not-found', `No status information found for service ${name}`);
    }
    return sendJson(context, { ...(await state(name, level, services)), service_name: name });
  },
};

async function state(name: string, level: string, services: HttpServices) {
  const hasFigures = level === 'debug' && (name === 'master' || name === 'server');
  return {
    service_version: PUPPET_VERSION,
    service_status_version: 1,
    detail_level: level,
    state: 'running',
    status: hasFigures ? { experimental: await services.figures() } : {},
    active_alerts: [],
  };
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
