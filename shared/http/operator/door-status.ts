import type { Hono } from 'hono';
import { HEALTH_KEY as NOBODY } from '../../config/front-doors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { Bindings } from '../endpoint.ts';
import { plainRefusal } from '../exchange/answers.ts';
import { Health } from '../health.ts';
import { mountRoutes } from '../route.ts';
import type { AccessApi } from '../routes/access/access-endpoint.ts';
import { getMetrics, metricsV2Endpoints } from '../routes/status/metrics.ts';
import { getServiceStatus, getServiceStatuses, statusSimpleEndpoints } from '../routes/status/status-services.ts';
import type { StatusServices } from '../services.ts';

/** The services of Puppet Enterprise that a door of operators stands for. */
export const DOOR_SERVICES = {
  console: ['activity-service', 'classifier-service', 'rbac-service'],
  orchestrator: ['broker-service', 'orchestrator-service'],
} as const;

export interface DoorStatus extends Pick<AccessApi, 'isRevoked'> {
  readonly stores: Pick<Stores, 'clock' | 'documents'>;
  readonly settings: Pick<StatusServices['settings'], 'language'>;
  /** Absent: the door has no metrics. */
  readonly metrics?: StatusServices['metrics'];
}

/**
 * Adds `/status/v1/services` and `/status/v1/simple` for health checks of these services, open as
 * Puppet Enterprise has them; with metrics, `/metrics` for every certificate of the CA.
 */
export function mountDoorStatus(
  app: Hono<{ Bindings: Bindings }>,
  names: readonly string[],
  { stores, settings, metrics, isRevoked }: DoorStatus,
): void {
  const { clock } = stores;
  const checks = { documents: () => stores.documents.get(NOBODY, NOBODY) };
  const health = new Health(
    Object.fromEntries([...names.map((name) => [name, checks]), ['status-service', {}]]),
    clock,
  );
  mountRoutes(app, [getServiceStatuses, getServiceStatus, ...statusSimpleEndpoints], (endpoint, context) =>
    endpoint.handle(context, { health, settings }),
  );
  if (metrics === undefined) return;
  const services = { clock, metrics };
  mountRoutes(app, [getMetrics, ...metricsV2Endpoints], async (endpoint, context) => {
    const { peer } = context.env;
    if (peer === null || (await isRevoked(peer))) {
      throw plainRefusal(403, 'Forbidden request: /metrics needs a certificate of this CA');
    }
    return endpoint.handle(context, services);
  });
}
