import { plainRefusal, TEXT_TYPE } from '../answers.ts';
import type { Endpoint } from '../endpoint.ts';
import { SERVICES } from './status-services.ts';

/** `GET /status/v1/simple` and `/simple/<service>`: `running`, for load balancers. */
export const statusSimple: readonly Endpoint[] = ['/status/v1/simple', '/status/v1/simple/:service'].map((path) => ({
  methods: ['GET'],
  path,
  async handle(context) {
    const service = context.req.param('service');
    if (service !== undefined && !SERVICES.includes(service)) throw plainRefusal(404, `not found: ${service}`);
    return new Response('running', { headers: { 'Content-Type': TEXT_TYPE } });
  },
}));
