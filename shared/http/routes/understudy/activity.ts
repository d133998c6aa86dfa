import type { AnswerOf } from '../../../api/described-answers.ts';
import { restrictActivity } from '../../activity.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

/**
 * `GET activity`: work under way that concerns the whole fleet, and what will soon not work, as far
 * as the user may open the pages about it.
 */
export const getActivity = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/activity',
  async (context, { activity }) => {
    const permits = context.env.permits ?? (async () => true);
    return sendJson(context, (await restrictActivity(await activity(), permits)) satisfies AnswerOf<'getActivity'>);
  },
);
