import type { AnswerOf } from '../../../api/described-answers.ts';
import { ComparisonStore } from '../../../fleet/comparisons/comparison-store.ts';
import { certnameIn } from '../../endpoint.ts';
import { notFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

/**
 * `GET comparisons`: the last comparison of all nodes with the catalogs of an existing Puppet
 * Server, summed up. The sum is at most 30 seconds old, or has some nodes (`isComplete: false`).
 */
export const getComparisons = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/comparisons',
  async (context, { shadows }) => sendJson(context, (await shadows.summarize()) satisfies AnswerOf<'getComparisons'>),
);

/** `GET nodes/<certname>/comparison`: the last one of a node. */
export const getNodeComparison = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/nodes/:certname/comparison',
  async (context, { documents }) => {
    const certname = certnameIn(context);
    const found = await new ComparisonStore(documents).get(certname);
    if (found === null) throw notFoundError(`${certname} was not compared with another server`);
    return sendJson(context, found satisfies AnswerOf<'getNodeComparison'>);
  },
);
