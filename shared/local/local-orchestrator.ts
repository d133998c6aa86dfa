import { CONNECTIONS } from '../config/connections.ts';
import { ORCHESTRATOR } from '../config/orchestrator.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../http/listener/edge-server.ts';
import type { FetchApp } from '../http/listener/node-listener.ts';
import { showJobs } from '../http/operator/job-events.ts';
import { JobsElsewhere } from '../http/operator/jobs-elsewhere.ts';
import { showNotify } from '../http/operator/notify-metrics.ts';
import { assembleOrchestrator } from '../http/operator/orchestrator-service.ts';
import type { InventoryReader } from '../inventory/query/inventory-reader.ts';
import type { Broker } from '../orchestrator/broker/broker.ts';
import type { InventoryCommands } from '../orchestrator/jobs/inventory-commands.ts';
import { InventoryQueries } from '../orchestrator/jobs/inventory-queries.ts';
import { NOTIFY_CONSUMER } from '../orchestrator/notify/notifier.ts';
import type { StartPlanThread } from '../orchestrator/plan-runs/plan-thread.ts';
import { ORCHESTRATOR_TYPE } from '../orchestrator/pxp/broker-gateway.ts';
import { NOTIFYING } from '../store/keep-leading.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import { ListenFailed } from '../util/listening.ts';
import type { ForwarderParts } from './local-forwarder.ts';
import type { LocalOptions } from './options.ts';

interface LocalOrchestratorParts extends Omit<ForwarderParts, 'door'> {
  readonly door: Pick<FrontDoor, 'access' | 'trusted' | 'metrics' | 'fleet' | 'status'>;
  /** Null: no agent can be reached. */
  readonly broker: Broker | null;
  readonly vault: KeyVault;
  /** Null without an inventory. */
  readonly inventory: InventoryReader | null;
  readonly inventoryCommands: InventoryCommands | null;
  /** Null: no plan is run. */
  readonly startPlanThread: StartPlanThread | null;
  /** The port of the front door, which has the reports. */
  readonly frontDoorPort: number;
}

/** The orchestrator's API, and what runs jobs behind it. */
interface LocalOrchestrator {
  readonly port: number;
  readonly app: FetchApp;
  close(graceMs: number): Promise<void>;
}

/**
 * Starts the orchestrator beside the front door, with its certificate. Null when it or the broker
 * is switched off, or when the default port is in use, which is logged. Throws ListenFailed for a
 * port that the operator named.
 */
export async function startLocalOrchestrator(
  options: LocalOptions,
  parts: LocalOrchestratorParts,
): Promise<LocalOrchestrator | null> {
  const { host, orchestratorPort: port, named } = options;
  const { stores, log, door, credentials, broker } = parts;
  if (port === 'off' || broker === null) {
    // Nobody notifies nodes of changes, unless another server does: they need not be kept.
    if (stores.shared === null) await parts.changes.forget(NOTIFY_CONSUMER);
  }
  if (port === 'off') return null;
  if (broker === null) {
    log.logEntry('There is no orchestrator without a PCP broker');
    return null;
  }
  const queries = parts.inventory && new InventoryQueries(parts.inventory);
  const reportProgress = showJobs(door.fleet.events, stores.clock);
  const { app, engine, notify, run } = await assembleOrchestrator({
    ...parts,
    ...describeProcesses(stores),
    doorbell: stores.doorbell,
    broker,
    queries,
    inventoryCommands: parts.inventoryCommands,
    startPlanThread: parts.startPlanThread,
    access: door.access,
    status: door.status,
    reportProgress,
    reportUrl: reportUrlOf(options, parts),
    keepDays: options.keepJobs,
  });
  let server: EdgeServer;
  try {
    server = await startEdgeServer({
      app,
      credentials,
      trusted: door.trusted,
      host,
      port,
      clock: stores.clock,
      connections: CONNECTIONS.orchestrator,
      reportFailure: (error) => log.logError('A connection failed', error),
    });
  } catch (error) {
    if (named.has('orchestratorPort') || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no orchestrator (--orchestrator-port)', error);
    return null;
  }
  showNotify(door.metrics.registry, notify.count);
  const stopping = new AbortController();
  const running = [run(stopping.signal)];
  if (stores.shared !== null) {
    const elsewhere = new JobsElsewhere({
      ...{ jobs: stores.jobs, clock: stores.clock, reportProgress, findOwn: () => engine.active },
      isWatched: () => door.fleet.watch.isWatched,
      reportFailure: (message, cause) => log.logError(message, cause),
    });
    running.push(elsewhere.run(stopping.signal));
    stores.shared.expectLeader(NOTIFYING.work);
  }
  return {
    port: server.port,
    app,
    close: async (graceMs) => {
      await server.close(graceMs);
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** The settings of orchestrators that share their stores with others. */
function describeProcesses({ shared }: LocalOrchestratorParts['stores']) {
  if (shared === null) return {};
  return {
    countProcesses: shared.countServers,
    controllerType: `${ORCHESTRATOR_TYPE}-${shared.instance}`,
    owner: shared.instance,
    takeOver: ORCHESTRATOR,
  };
}

/** Names the address at which reports can be read. */
function reportUrlOf({ host, serverName }: LocalOptions, { frontDoorPort }: LocalOrchestratorParts) {
  const address = serverName ?? (host === '127.0.0.1' || host === '0.0.0.0' ? 'localhost' : host);
  return (certname: string, uuid: string) =>
    `https://${address}:${frontDoorPort}/understudy/v1/reports/${certname}/${uuid}`;
}
