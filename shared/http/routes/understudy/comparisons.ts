import type { AnswerOf } from '../../../api/described-answers.ts';
import { ComparisonStore } from '../../../fleet/comparisons/comparison-store.ts';
import { certnameIn, type Endpoint } from '../../endpoint.ts';
import { notFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { FleetServices } from '../../services.ts';

/**
 * `GET comparisons`: the last comparison of all nodes with the catalogs of an existing Puppet
 * Server, summed up. The sum is at most 30 seconds old, or has some nodes (`isComplete: false`).
 */
export const getComparisons: Endpoint<FleetServices> = {
  methods: ['GET'],
  path: '/understudy/v1/comparisons',
  async handle(context, { shadows }) {
    return sendJson(context, (await shadows.summarize()) satisfies AnswerOf<'getComparisons'>);
  },
};

/** `GET nodes/<certname>/comparison`: the last one of a node. */
export const getNodeComparison: Endpoint<FleetServices> = {
  methods: ['GET'],
  path: '/understudy/v1/nodes/:certname/comparison',
  async handle(context, { documents }) {
    const certname = certnameIn(context);
    const found = await new ComparisonStore(documents).get(certname);
    if (found === null) throw notFoundError(`${certname} was not compared with another server`);
    return sendJson(context, found satisfies AnswerOf<'getNodeComparison'>);
  },
};
