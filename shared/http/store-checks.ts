import { HEALTH_KEY as NOBODY } from '../config/front-doors.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { HealthCheck } from './health.ts';

/** Checks besides those of the stores. */
interface OtherChecks {
  readonly authority: HealthCheck;
  readonly queue: HealthCheck;
  /** Checks that all services share, by name. */
  readonly common: Readonly<Record<string, HealthCheck>>;
}

/** The checks of each service's dependencies, under Puppet Server's service names. */
export function serviceChecks(
  stores: Stores,
  { authority, queue, common }: OtherChecks,
): Readonly<Record<string, Readonly<Record<string, HealthCheck>>>> {
  const server = {
    nodes: () => stores.nodes.get(NOBODY),
    environments: () => stores.environments.get(NOBODY),
    documents: () => stores.documents.get(NOBODY, NOBODY),
    blobs: () => stores.blobs.has(`files/${NOBODY}`),
    queue,
    ...common,
  };
  return { ca: { authority, ...common }, master: server, server, 'status-service': {} };
}
