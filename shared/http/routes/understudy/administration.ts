import type { Endpoint } from '../../endpoint.ts';
import { Refusal, TEXT_TYPE } from '../../exchange/answers.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const PREFIX = '/puppet-admin-api/v1';
const KNOWN = [`${PREFIX}/environment-cache`, `${PREFIX}/jruby-pool`];

/**
 * `DELETE environment-cache` and `DELETE jruby-pool`, which deploy scripts call: 204 without
 * effect, since snapshots are immutable and no interpreter is kept.
 */
export const administrationEndpoints: readonly Endpoint<FleetServices>[] = [
  ...KNOWN.map(
    (path): Endpoint<FleetServices> => createRoute('DELETE', path, async () => new Response(null, { status: 204 })),
  ),
  createRoute(['GET', 'POST', 'PUT', 'DELETE'], `${PREFIX}/*`, async (context) => {
    if (context.req.path === KNOWN[0]) throw methodNotAllowed();
    const headers = { 'Content-Type': 'text/html;charset=utf-8' };
    return new Response('Not Found', { status: 404, headers });
  }),
];

function methodNotAllowed(): Refusal {
  const message = 'Method not allowed.';
  const headers = { 'Content-Type': TEXT_TYPE, Allow: 'DELETE' };
  return new Refusal(message, () => new Response(message, { status: 405, headers }));
}
