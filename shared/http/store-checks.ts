import type { Stores } from '../store/ports/stores.ts';
import type { HealthCheck } from './health.ts';

/**
 * A key that nothing has: to ask for it is the cheapest question that only a store that works can
 * answer.
 */
const NOBODY = 'health-check';

/**
 * What each service of the server stands on, under the names that Puppet Server gives its services.
 */
export function serviceChecks(
  stores: Stores,
  { authority, queue }: Readonly<Record<'authority' | 'queue', HealthCheck>>,
): Readonly<Record<string, Readonly<Record<string, HealthCheck>>>> {
  const server = {
    nodes: () => stores.nodes.get(NOBODY),
    environments: () => stores.environments.get(NOBODY),
    documents: () => stores.documents.get(NOBODY, NOBODY),
    blobs: () => stores.blobs.has(`files/${NOBODY}`),
    queue,
  };
  return { ca: { authority }, master: server, server, 'status-service': {} };
}
