import type { AnswerOf } from '../../../api/described-answers.ts';
import { badRequestError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter } from '../../exchange/list-parameters.ts';
import { createRoute } from '../../route.ts';
import type { HttpServices } from '../../services.ts';

const [LEAST, MOST] = [2, 200];
const USUAL_RESULTS = 5;
const MOST_RESULTS = 20;

/**
 * `GET search?text=&limit=`: what the user may see whose name contains the text, at most `limit` of
 * each kind.
 */
export const getSearch = createRoute<Pick<HttpServices, 'finder'>>(
  'GET',
  '/understudy/v1/search',
  async (context, { finder }) => {
    const text = (context.req.query('text') ?? '').trim();
    if (text.length < LEAST || text.length > MOST) {
      throw badRequestError(`'text' must have ${LEAST} to ${MOST} characters`);
    }
    const limit = countParameter(context, 'limit', USUAL_RESULTS, MOST_RESULTS);
    const permits = context.env.permits ?? (async () => true);
    return sendJson(context, (await finder.find(text, limit, permits)) satisfies AnswerOf<'search'>);
  },
);
