import type { Endpoint } from '../../endpoint.ts';
import { plainRefusal, TEXT_TYPE } from '../../exchange/answers.ts';
import type { ServiceState } from '../../health.ts';
import { createRoute } from '../../route.ts';
import type { StatusServices } from '../../services.ts';

/**
 * `GET /status/v1/simple` and `/simple/<service>`, for load balancers: the state as one word, with
 * status 200 for `running` and 503 for others. `status-service` reports only whether this process
 * answers, regardless of the stores.
 */
export const statusSimpleEndpoints: readonly Endpoint<StatusServices>[] = [
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

async function findWorstState({ health }: StatusServices): Promise<ServiceState> {
  const states = new Set(await Promise.all(health.names.map(async (name) => (await health.check(name)).state)));
  return WORST_FIRST.find((state) => states.has(state)) ?? 'running';
}
