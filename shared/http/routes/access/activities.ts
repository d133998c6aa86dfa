import { AccessRefused } from '../../../access/accounts/access-control.ts';
import { type Activity, type ActivityQuery, MOST_ACTIVITIES } from '../../../access/accounts/activity-log.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { type AccessApi, type AccessEndpoint, createAccessRoute, demandPermission } from './access-endpoint.ts';
import { readActivityFilters } from './activity-filters.ts';
import { writeActivityTable } from './activity-table.ts';

const API = '/activity-api';
const USUAL_LIMIT = 1000;

type ActivityPage = Awaited<ReturnType<typeof readActivities>>;

/**
 * Activities in the form of Puppet Enterprise's activity service: who changed users, groups, roles,
 * directories and node groups, and who logged in. Whoever may look at the console may read them;
 * those about node groups, who may look at all groups.
 */
export const activityEndpoints: readonly AccessEndpoint[] = [
  createActivityRoute('v1/events', ({ activities, offset, limit, total }) => ({
    commits: activities.map(({ objects: [object], ...one }) => ({
      object: { id: object?.id ?? '', name: object?.name ?? '' },
      ...describe(one),
    })),
    offset,
    limit,
    'total-rows': total,
  })),
  createActivityRoute('v1/events.csv', null),
  createActivityRoute('v2/events', ({ activities, offset, limit, total }) => ({
    commits: activities.map(({ objects, ...one }) => ({
      objects: objects.map(({ type, id, name }) => ({ id, name, type })),
      ...describe(one),
    })),
    pagination: { total, limit, offset },
  })),
  createActivityRoute('v2/events.csv', null),
];

function describe({ subject, at, message }: Pick<Activity, 'subject' | 'at' | 'message'>) {
  return { subject, timestamp: new Date(at).toISOString(), events: [{ message }] };
}

/** `show` makes the JSON of a page; null for a table of comma-separated values. */
function createActivityRoute(path: string, show: ((page: ActivityPage) => unknown) | null): AccessEndpoint {
  const isFirst = path.startsWith('v1/');
  return createAccessRoute('GET', `${API}/${path}`, async (context, { access, subject }) => {
    await demandPermission(access, subject, 'console_page', 'view', '*');
    const groups = { objectType: 'node_groups', action: 'view', instance: '*' };
    const mayViewGroups = subject.isSuperuser || (await access.isPermitted(subject, groups));
    const page = await readActivities(context, access, isFirst, mayViewGroups);
    if (show !== null) return sendJson(context, show(page));
    const headers = { 'Content-Type': 'text/csv; charset=utf-8' };
    return new Response(writeActivityTable(page.activities, !isFirst), { headers });
  });
}

async function readActivities(
  context: HttpContext,
  { activities }: AccessApi['access'],
  isFirst: boolean,
  mayViewGroups: boolean,
) {
  const { accepts, after, until } = readActivityFilters(context, isFirst);
  const page: Pick<ActivityQuery, 'offset' | 'limit' | 'order'> = {
    offset: readWhole(context, 'offset', 0, 0),
    limit: readWhole(context, 'limit', USUAL_LIMIT, 1),
    order: readOrder(context),
  };
  const isShown = (one: Activity) => (mayViewGroups || one.service !== 'classifier') && accepts(one);
  return { ...page, ...(await activities.read({ ...page, after, until, accepts: isShown })) };
}

function readOrder({ req }: HttpContext): 'asc' | 'desc' {
  const order = req.query('order') ?? 'desc';
  if (order === 'asc' || order === 'desc') return order;
  throw new AccessRefused('schema-violation', "The parameter 'order' must be asc or desc");
}

function readWhole({ req }: HttpContext, name: string, usual: number, least: number): number {
  const text = req.query(name) ?? String(usual);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least) return Math.min(value, MOST_ACTIVITIES);
  throw new AccessRefused('schema-violation', `The parameter '${name}' must be a whole number from ${least} on`);
}
