import type { AnswerOf } from '../../../api/described-answers.ts';
import { listKeyReaders } from '../../../fleet/dependencies/key-readers.ts';
import { badRequestError, notFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, cursorParameter, printCursor } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { HttpServices } from '../../services.ts';

const [USUAL_PAGE, LARGEST_PAGE] = [50, 200];
const LONGEST_KEY = 500;

/**
 * `GET environments/<name>/keys/readers?key=&limit=&cursor=`: the data files that have a key of
 * Hiera, without its value, and the nodes whose compiles looked it up.
 */
export const getKeyReaders = createRoute<Pick<HttpServices, 'dataKeys' | 'dependencies'>>(
  'GET',
  '/understudy/v1/environments/:environment/keys/readers',
  async (context, { dataKeys, dependencies }) => {
    const environment = context.req.param('environment') ?? '';
    const key = context.req.query('key') ?? '';
    if (!/^\w{1,255}$/.test(environment)) throw badRequestError(`'${environment}' is not an environment`);
    if (key === '' || key.length > LONGEST_KEY) throw badRequestError(`'key' must have 1 to ${LONGEST_KEY} characters`);
    const limit = countParameter(context, 'limit', USUAL_PAGE, LARGEST_PAGE);
    const after = cursorParameter(context, (value) => typeof value === 'string');
    const files = await dataKeys.locate(environment, key);
    if (files === null) throw notFoundError(`environment '${environment}' is not deployed`);
    const found = await listKeyReaders({ environment, key, ...files }, { after, limit: limit + 1 }, { dependencies });
    const nodes = found.slice(0, limit);
    return sendJson(context, {
      ...{ environment, key, files: [...files.definedIn], nodes },
      next: found.length > limit ? printCursor(nodes.at(-1)) : null,
    } satisfies AnswerOf<'listKeyReaders'>);
  },
);
