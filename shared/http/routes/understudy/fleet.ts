import type { Permission } from '../../../access/accounts/access-control.ts';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { describeRunFailures } from '../../../fleet/failures/run-failure-texts.ts';
import { FAILING_CAUSES, FLEET_SORTS, FLEET_STATES, failingCause } from '../../../fleet/overview/fleet-states.ts';
import type { FleetPage, FleetQuery } from '../../../fleet/overview/fleet-view.ts';
import { cutConstantPrefix } from '../../../store/node-summary.ts';
import type { HttpContext } from '../../endpoint.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, cursorParameter, printCursor, wordParameter } from '../../exchange/list-parameters.ts';
import type { NodeSearch } from '../../node-search.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';
import { permissionDenied } from '../access/access-endpoint.ts';

const USUAL_PAGE = 50;
const LARGEST_PAGE = 500;
const MOST_SEARCH = 255;

/** `GET overview`: how all nodes are, the queues, and the newest deploys. */
export const getOverview = createRoute<FleetServices>('GET', '/understudy/v1/overview', async (context, { fleet }) =>
  sendJson(context, (await fleet.describe()) satisfies AnswerOf<'getOverview'>),
);

/** `GET overview/hours?hours=24|168|720`: the work of the last day, week or month by the hour. */
export const getOverviewHours = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/overview/hours',
  async (context, { fleet }) => {
    const hours = Number(wordParameter(context, 'hours', ['24', '168', '720']) ?? '24');
    return sendJson(context, (await fleet.describeHours(hours)) satisfies AnswerOf<'getOverviewHours'>);
  },
);

/**
 * `GET nodes?state=&cause=&search=&query=&environment=&sort=&order=&limit=&cursor=`: nodes, page by
 * page. `query` is PQL that gives certnames; of a user it needs the permission of queries, too.
 */
export const getNodes = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/nodes',
  async (context, { fleet, search, clock, documents }) => {
    const among = await findAmong(context, search);
    const query = { ...readFleetQuery(context), among };
    const { view, asOf } = fleet.watch.look();
    const page = view.list(query, clock.now());
    const shown = (await fleet.watch.findRuns(page.nodes)) ? view.list(query, clock.now()) : page;
    return sendJson(context, {
      at: asOf,
      isComplete: asOf !== null,
      ...describePage(shown, await describeFailedRuns(context, shown, documents)),
    } satisfies AnswerOf<'listNodes'>);
  },
);

const QUERY: Permission = { objectType: 'nodes', action: 'view_data', instance: '*' };

/** Describes the failed runs of a page's nodes; with names for those who may see them. */
async function describeFailedRuns(
  context: HttpContext,
  { nodes }: FleetPage,
  documents: FleetServices['documents'],
): Promise<ReadonlyMap<string, string>> {
  const failed = nodes.filter((node) => failingCause(node) === 'run').map(({ certname }) => certname);
  if (failed.length === 0) return new Map();
  const hasNames = (await context.env.permits?.(QUERY)) ?? true;
  return describeRunFailures(documents, failed, hasNames);
}

/** The nodes that `query` gives; null without one. */
async function findAmong(context: HttpContext, search: NodeSearch): Promise<ReadonlySet<string> | null> {
  const text = context.req.query('query')?.trim() ?? '';
  if (text === '') return null;
  const { permits, user = '' } = context.env;
  if (permits !== undefined && !(await permits(QUERY))) throw permissionDenied({ login: user }, QUERY);
  return search.find(text);
}

function readFleetQuery(context: HttpContext): Omit<FleetQuery, 'among'> {
  const { search = '', environment } = context.req.query();
  if (search.length > MOST_SEARCH) throw badRequestError(`'search' has more than ${MOST_SEARCH} characters`);
  const order = wordParameter(context, 'order', ['asc', 'desc']);
  return {
    state: wordParameter(context, 'state', FLEET_STATES),
    cause: wordParameter(context, 'cause', FAILING_CAUSES),
    search,
    environment: environment === undefined || environment === '' ? null : environment,
    sort: wordParameter(context, 'sort', FLEET_SORTS) ?? 'certname',
    isDescending: order === 'desc',
    after: cursorParameter(context, isPlace),
    limit: countParameter(context, 'limit', USUAL_PAGE, LARGEST_PAGE),
  };
}

type Place = NonNullable<FleetQuery['after']>;

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('certname' in value)) return false;
  return (typeof value.key === 'string' || typeof value.key === 'number') && typeof value.certname === 'string';
}

function describePage({ nodes, next, total }: FleetPage, failedRuns: ReadonlyMap<string, string>) {
  return {
    nodes: nodes.map((node) => ({
      certname: node.certname,
      environment: node.environment,
      state: node.state,
      isStale: node.isStale,
      isVolatile: node.isVolatile,
      cause: failingCause(node),
      failure: node.failure === null ? (failedRuns.get(node.certname) ?? null) : cutConstantPrefix(node.failure),
      reportStatus: node.runStatus,
      lastSeen: node.lastSeen,
      compiledAt: node.compiledAt,
    })),
    next: next === null ? null : printCursor(next),
    total,
  };
}
