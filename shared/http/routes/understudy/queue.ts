import type { AnswerOf } from '../../../api/described-answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

/** `GET queue`: how many compile jobs wait in each queue. */
export const getQueue = createRoute<FleetServices>('GET', '/understudy/v1/queue', async (context, { queue }) =>
  sendJson(context, { queues: await queue.getDepth() } satisfies AnswerOf<'getQueue'>),
);
