import { FAILURE_ROUTES } from './failure-fixtures.ts';
import type { FakeRoutes } from './fake-console.ts';
import { INSIGHT_ROUTES } from './insight-fixtures.ts';
import { JOB_ROUTES } from './job-fixtures.ts';
import { NODE_ROUTES } from './node-fixtures.ts';
import { OPERATION_ROUTES } from './operation-fixtures.ts';
import { OVERVIEW_ROUTES } from './overview-fixtures.ts';
import { queryRoutes } from './query-fixtures.ts';

/** What a fleet of 4,218 nodes answers to an administrator. */
export const FLEET: FakeRoutes = {
  ...{ ...OVERVIEW_ROUTES, ...NODE_ROUTES, ...FAILURE_ROUTES },
  ...{ ...INSIGHT_ROUTES, ...JOB_ROUTES, ...OPERATION_ROUTES },
  ...queryRoutes(NODE_ROUTES['GET /pdb/query/v4'] ?? (() => ({ body: [] }))),
};
