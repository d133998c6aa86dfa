import type { Author } from '../../../access/accounts/account.ts';
import { QUERY_SCOPES, type QueryScope, SavedQueries } from '../../../access/accounts/saved-queries.ts';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { describePqlEntities } from '../../../inventory/query/pql-entities.ts';
import { auditChange } from '../../audit-change.ts';
import type { HttpContext } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';
import { permissionDenied } from '../access/access-endpoint.ts';

const MALFORMED = 'understudy/malformed-query';
const OF_QUERY = '/understudy/v1/queries/:scope/:name';
/** A query of all is a setting of the console. */
const SHARE = { objectType: 'configuration', action: 'edit', instance: '*' } as const;

/** `GET queries`: the queries that the user saved, and those of all. */
export const getSavedQueries = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/queries',
  async (context, { documents }) => {
    const user = demandUser(context);
    const { own, shared } = await new SavedQueries(documents).list(user.id);
    const mayShare = await isAdministrator(context);
    const answer: AnswerOf<'listSavedQueries'> = {
      own: own.map(({ name, query, at }) => ({ name, query, at })),
      shared: shared.map(({ name, query, at, by }) => ({
        ...{ name, query, at, by: by.login },
        mayDelete: mayShare || by.id === user.id,
      })),
      mayShare,
    };
    return sendJson(context, answer);
  },
);

/** `PUT queries/own/<name>`, `queries/shared/<name>` with `query`: saves a query. */
export const putSavedQuery = createRoute<FleetServices>('PUT', OF_QUERY, async (context, services) => {
  const { scope, name, user } = readTarget(context);
  const { query } = await readJsonObject(context, MALFORMED);
  if (typeof query !== 'string') throw badRequestError("'query' must be a text");
  if (scope === 'shared' && !(await isAdministrator(context))) throw permissionDenied(user, SHARE);
  const by = { id: user.id, login: user.login };
  await new SavedQueries(services.documents).put(scope, { name, query, at: services.clock.now(), by });
  if (scope === 'shared') auditChange(context, services, `query ${name} saved for all`);
  return sendJson(context, { saved: name } satisfies AnswerOf<'putSavedQuery'>);
});

/**
 * `DELETE queries/own/<name>`, `queries/shared/<name>`: deletes a query. One of all is deleted by
 * its author, and by whoever may share.
 */
export const deleteSavedQuery = createRoute<FleetServices>('DELETE', OF_QUERY, async (context, services) => {
  const { scope, name, user } = readTarget(context);
  const saved = new SavedQueries(services.documents);
  if (scope === 'shared') {
    const found = await saved.findShared(name);
    const isOwner = found?.by.id === user.id;
    if (found !== null && !isOwner && !(await isAdministrator(context))) throw permissionDenied(user, SHARE);
  }
  if (!(await saved.remove(scope, user.id, name))) throw resourceNotFoundError('query', name);
  if (scope === 'shared') auditChange(context, services, `query ${name} deleted for all`);
  return sendJson(context, { removed: name } satisfies AnswerOf<'deleteSavedQuery'>);
});

/** `GET queries/schema`: the entities of PQL with their fields. */
export const getQuerySchema = createRoute<FleetServices>('GET', '/understudy/v1/queries/schema', async (context) =>
  sendJson(context, { entities: [...describePqlEntities()] } satisfies AnswerOf<'getQuerySchema'>),
);

function readTarget(context: HttpContext): {
  readonly scope: QueryScope;
  readonly name: string;
  readonly user: Author;
} {
  const { scope = '', name = '' } = context.req.param();
  const known = QUERY_SCOPES.find((one) => one === scope);
  if (known === undefined) throw resourceNotFoundError('list of queries', scope);
  return { scope: known, name, user: demandUser(context) };
}

/** The user of the request; only users have saved queries. */
function demandUser({ env }: HttpContext): Author {
  if (env.author === undefined) throw badRequestError('Only users have saved queries');
  return env.author;
}

async function isAdministrator({ env }: HttpContext): Promise<boolean> {
  return (await env.permits?.(SHARE)) === true;
}
