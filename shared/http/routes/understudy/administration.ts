import type { AnswerOf } from '../../../api/described-answers.ts';
import { readLastBackup } from '../../../fleet/code/last-backup.ts';
import type { Endpoint } from '../../endpoint.ts';
import { Refusal, TEXT_TYPE } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
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

/** `GET backups`: when the data directory was last written into a file, and into which. */
export const getBackups = createRoute<FleetServices>('GET', '/understudy/v1/backups', async (context, { documents }) =>
  sendJson(context, { last: await readLastBackup(documents) } satisfies AnswerOf<'getBackups'>),
);

/** `GET queue`: how many compile jobs wait in each queue. */
export const getQueue = createRoute<FleetServices>('GET', '/understudy/v1/queue', async (context, { queue }) =>
  sendJson(context, { queues: await queue.getDepth() } satisfies AnswerOf<'getQueue'>),
);
