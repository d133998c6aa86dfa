import type { AnswerOf } from '../../../api/described-answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

/** `GET facts?search=`: the paths of facts that contain a text. */
export const getFactPaths = createRoute<FleetServices>('GET', '/understudy/v1/facts', async (context, { facts }) =>
  sendJson(context, (await facts.listPaths(context.req.query('search') ?? '')) satisfies AnswerOf<'listFactPaths'>),
);

/** `GET facts/values?path=`: the values of a fact with the numbers of nodes that have them. */
export const getFactValues = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/facts/values',
  async (context, { facts }) => {
    const path = context.req.query('path') ?? '';
    return sendJson(context, { path, ...(await facts.distribute(path)) } satisfies AnswerOf<'getFactValues'>);
  },
);
