import type { AnswerOf, ApiSchema } from '../../../api/described-answers.ts';
import {
  CHANGE_KINDS,
  getNotedChange,
  listNotedChanges,
  type NotedChange,
} from '../../../fleet/nodes/noted-changes.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { shortenId } from '../../../util/short-id.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, cursorParameter, printCursor, wordParameter } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const USUAL_PAGE = 50;
const LARGEST_PAGE = 200;
/** Changes of one kind may be far between: so many are looked at for a page. */
const MOST_READ = 500;

type ShownChange = ApiSchema<'Change'>;

type ChangePlace = Pick<ShownChange, 'at' | 'id'>;

/**
 * `GET changes?kind=&environment=&limit=&cursor=`: what made nodes stale, newest first: deploys,
 * node groups, exported resources, rotated values, policies of strictness.
 */
export const getChanges = createRoute<FleetServices>('GET', '/understudy/v1/changes', async (context, services) => {
  const limit = countParameter(context, 'limit', USUAL_PAGE, LARGEST_PAGE);
  const kind = wordParameter(context, 'kind', ['deploy', ...CHANGE_KINDS]);
  const name = context.req.query('environment') || null;
  const place = cursorParameter(context, isChangePlace);
  const all = [...(await listDeployed(services)), ...(await listNoted(services, place))];
  const found = all
    .filter((change) => (kind ?? change.kind) === change.kind)
    .filter(({ environment }) => name === null || environment === null || environment === name)
    .filter((change) => place === null || compareChanges(change, place) > 0)
    .toSorted(compareChanges);
  const changes = found.slice(0, limit);
  const last = changes.at(-1);
  const hasMore = last !== undefined && found.length > limit;
  const next = hasMore ? printCursor({ at: last.at, id: last.id }) : null;
  return sendJson(context, { changes, next } satisfies AnswerOf<'listChanges'>);
});

/** `GET changes/<id>/nodes`: the first 100 nodes that a change touched, and why. */
export const getChangeNodes = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/changes/:id/nodes',
  async (context, services) => {
    const id = context.req.param('id') ?? '';
    const change = /^[\w-]{1,64}$/.test(id) ? await getNotedChange(services, id) : null;
    if (change === null) throw resourceNotFoundError('change', id.slice(0, 64));
    const nodes = change.nodes.map(({ certname, why }) => ({ certname, why: [why] }));
    const omitted = change.count - nodes.length;
    return sendJson(context, {
      change: showChange(change),
      nodes,
      next: null,
      omitted,
    } satisfies AnswerOf<'listChangeNodes'>);
  },
);

async function listNoted(services: FleetServices, place: ChangePlace | null): Promise<readonly ShownChange[]> {
  const noted = await listNotedChanges(services, MOST_READ, place?.at);
  return noted.map(showChange);
}

function showChange({ nodes: _, count, ...change }: NotedChange): ShownChange {
  return { ...change, nodes: count };
}

async function listDeployed({ fleet }: FleetServices): Promise<readonly ShownChange[]> {
  const deploys = await fleet.listDeploys(Number.POSITIVE_INFINITY);
  return deploys.map(({ environment, codeId, at, user }) => ({
    id: `deploy-${environment}-${codeId}`,
    at,
    kind: 'deploy',
    environment,
    summary: `${environment} has the code ${shortenId(codeId)}`,
    user,
    nodes: null,
  }));
}

/** Newest first. */
function compareChanges(a: ChangePlace, b: ChangePlace): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

function isChangePlace(value: unknown): value is ChangePlace {
  return isJsonObject(value) && Number.isSafeInteger(value.at) && Number(value.at) >= 0 && typeof value.id === 'string';
}
