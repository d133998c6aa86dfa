import type { AnswerOf } from '../../../api/described-answers.ts';
import type { Endpoint } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { FleetServices } from '../../services.ts';

/** `GET queue`: how many compile jobs wait in each queue. */
export const getQueue: Endpoint<FleetServices> = {
  methods: ['GET'],
  path: '/understudy/v1/queue',
  async handle(context, { queue }) {
    return sendJson(context, { queues: await queue.getDepth() } satisfies AnswerOf<'getQueue'>);
  },
};
