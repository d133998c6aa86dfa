import type { FleetQuery } from '../../shared/fleet/overview/fleet-view.ts';

/** Returns the query for the first 100 nodes by name, or with `more` another one. */
export function createFleetQuery(more: Partial<FleetQuery> = {}): FleetQuery {
  return {
    state: null,
    search: '',
    environment: null,
    among: null,
    sort: 'certname',
    cause: null,
    isDescending: false,
    after: null,
    limit: 100,
    ...more,
  };
}
