import type { AnswerOf, ApiSchema } from '../../../api/described-answers.ts';
import { FAILURE_KINDS } from '../../../fleet/failures/failing-node.ts';
import { listNewestEvents } from '../../../fleet/failures/failure-events.ts';
import { describeFeed } from '../../../fleet/failures/failure-feed.ts';
import type { FailureGroup } from '../../../fleet/failures/failure-group.ts';
import { findFailureGroup, listFailureGroups, selectFailures } from '../../../fleet/failures/failure-list.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, cursorParameter, printCursor, wordParameter } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const USUAL_PAGE = 50;
const LARGEST_PAGE = 200;
/** Nodes that a list names of each failure. */
const MOST_NAMES = 5;
const MOST_ENTRIES = 100;

/**
 * `GET failures?kind=&state=&environment=&certname=&limit=&cursor=`: what fails, by message and
 * resource: open failures first, those of most nodes first.
 */
export const getFailures = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/failures',
  async (context, { documents }) => {
    const limit = countParameter(context, 'limit', USUAL_PAGE, LARGEST_PAGE);
    const { environment, certname } = context.req.query();
    const { skip } = cursorParameter(context, isPlace) ?? { skip: 0 };
    const found = selectFailures(await listFailureGroups(documents), {
      kind: wordParameter(context, 'kind', FAILURE_KINDS),
      state: wordParameter(context, 'state', ['open', 'closed']),
      environment: environment || null,
      certname: certname || null,
    });
    const failures = found.slice(skip, skip + limit).map((group) => showGroup(group, MOST_NAMES));
    const next = found.length > skip + limit ? printCursor({ skip: skip + limit }) : null;
    return sendJson(context, { failures, total: found.length, next } satisfies AnswerOf<'listFailures'>);
  },
);

/** `GET failures/<id>`: one of them, with its first 200 nodes. */
export const getFailure = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/failures/:id',
  async (context, { documents }) => {
    const id = context.req.param('id') ?? '';
    const group = /^[\w-]{1,64}$/.test(id) ? await findFailureGroup(documents, id) : null;
    if (group === null) throw resourceNotFoundError('failure', id.slice(0, 64));
    return sendJson(context, showGroup(group, group.nodes.length) satisfies AnswerOf<'getFailure'>);
  },
);

/** `GET failures.atom`: the newest failures that began or ended, as an Atom feed. */
export const getFailureFeed = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/failures.atom',
  async (context, { documents, clock }) => {
    const events = await listNewestEvents(documents, MOST_ENTRIES);
    const feed = describeFeed(events, { origin: new URL(context.req.url).origin, now: clock.now() });
    return new Response(feed, { headers: { 'Content-Type': 'application/atom+xml;charset=utf-8' } });
  },
);

function showGroup({ nodes, ...group }: FailureGroup, most: number): ApiSchema<'FleetFailure'> {
  return { ...group, lines: group.lines.map((line) => ({ ...line })), nodes: nodes.slice(0, most) };
}

function isPlace(value: unknown): value is { readonly skip: number } {
  return isJsonObject(value) && Number.isSafeInteger(value.skip) && Number(value.skip) >= 0;
}
