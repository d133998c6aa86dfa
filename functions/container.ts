/** Common parts of the front doors in containers: mutual TLS, load, plans and an orderly end. */
import type { ServerCredentials } from '../shared/access/ca/server-credentials.ts';
import { CONNECTIONS } from '../shared/config/connections.ts';
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import type { FrontDoor } from '../shared/http/front-door.ts';
import { startEdgeServer } from '../shared/http/listener/edge-server.ts';
import { readOpenFileLimit, shareConnections } from '../shared/http/listener/open-files.ts';
import type { OperatorServices } from '../shared/http/operator/operator-services.ts';
import type { StartPlanThread } from '../shared/orchestrator/plan-runs/plan-thread.ts';
import { planThreads } from '../shared/orchestrator/plan-runs/plan-threads.ts';
import type { BlobStore } from '../shared/store/ports/blob-store.ts';
import type { Clock } from '../shared/store/ports/clock.ts';
import { containerLog, endAtFaults, LOAD_MS, writeMetrics } from './container-log.ts';

interface ServedContainer {
  readonly credentials: ServerCredentials;
  /** The usual one. */
  readonly port: number;
  readonly clock: Clock;
  /** Starts what the container serves beside the front door, when that one listens. */
  readonly startBeside?: () => Promise<OperatorServices>;
}

/** The module of the thread of a plan; the bundle has it beside this one. */
const PLAN_MODULE = import.meta.url.endsWith('.mjs')
  ? new URL('./plan-worker.mjs', import.meta.url)
  : new URL('./plan-worker.ts', import.meta.url);

/** Returns what starts the threads of plans in a container. `blobs`: files that they ask for. */
export function containerPlans(blobs: Pick<BlobStore, 'get'>): StartPlanThread {
  return planThreads({ module: PLAN_MODULE, blobs, reportFailure: containerLog.logError });
}

/** Serves a front door until SIGTERM. */
export async function serveContainer(
  door: FrontDoor,
  { credentials, port, clock, startBeside }: ServedContainer,
): Promise<void> {
  endAtFaults();
  const { app, trusted, health, keepRevocations, metrics, fleet, visits, hours } = door;
  const variables = process.env;
  const usual = CONNECTIONS.frontDoor;
  const server = await startEdgeServer({
    app,
    credentials,
    trusted,
    host: variables[FRONT_DOOR_VARIABLES.edgeHost] ?? '0.0.0.0',
    port: Number(variables[FRONT_DOOR_VARIABLES.edgePort] ?? port),
    clock,
    connections: { ...usual, most: shareConnections(usual.most, readOpenFileLimit(), 0).frontDoor },
    reportFailure: (error) => containerLog.logError('A connection failed', error),
  });
  const beside = await startBeside?.();
  const stopping = new AbortController();
  const writeLoad = async () => {
    const connections = { [MEASURES.openConnections.cloudWatch]: await server.countConnections() };
    writeMetrics({ ...(await metrics.takeLoad()), ...connections, ...beside?.takeLoad() }, clock);
  };
  const failed = (error: unknown) => containerLog.logError('The load could not be counted', error);
  setInterval(() => void writeLoad().catch(failed), LOAD_MS).unref();
  const unseen = (error: unknown) => containerLog.logError('Visits of nodes could not be written', error);
  setInterval(() => void visits.flush().catch(unseen), LOAD_MS).unref();
  const uncounted = (error: unknown) => containerLog.logError('The work of the hour could not be written', error);
  setInterval(() => void hours.flush().catch(uncounted), LOAD_MS).unref();
  keepRevocations(stopping.signal, (ageMs) => {
    writeMetrics({ [MEASURES.revocationListAge.cloudWatch]: Math.round(ageMs / 1000) }, clock);
  }).catch((error: unknown) => containerLog.logError('Revocation lists are no longer fetched', error));
  // Answers held requests before the container stops; by then the load balancer sends no new ones.
  process.once('SIGTERM', () => {
    health.stop();
    stopping.abort();
    const graceMs = EDGE.graceSeconds * 1000;
    Promise.all([fleet.stop(), server.close(graceMs), beside?.close(graceMs)])
      .then(() => hours.flush())
      .catch(uncounted)
      .finally(() => process.exit(0));
  });
}
