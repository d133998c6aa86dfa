import { createHash } from 'node:crypto';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { findReport } from '../fleet/nodes/node-reports.ts';
import { FileServer } from '../http/files/file-server.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { type EdgeServer, ListenFailed, startEdgeServer } from '../http/listener/edge-server.ts';
import { createOrchestratorApp } from '../http/orchestrator-app.ts';
import type { InventoryReader } from '../inventory/query/inventory-reader.ts';
import type { Broker } from '../orchestrator/broker/broker.ts';
import { InventoryQueries } from '../orchestrator/jobs/inventory-queries.ts';
import type { CatalogCurrency } from '../orchestrator/jobs/job-context.ts';
import { JobEngine } from '../orchestrator/jobs/job-engine.ts';
import { JobService } from '../orchestrator/jobs/job-service.ts';
import type { RunReports } from '../orchestrator/jobs/node-outcome.ts';
import { DEFAULT_PACING } from '../orchestrator/jobs/pacing.ts';
import { Permissions } from '../orchestrator/jobs/permissions.ts';
import { PlanService } from '../orchestrator/jobs/plan-service.ts';
import { pruneJobs } from '../orchestrator/jobs/prune-jobs.ts';
import { ScheduleService } from '../orchestrator/jobs/schedule-service.ts';
import { KnownTargets } from '../orchestrator/jobs/targets.ts';
import { TaskTargets } from '../orchestrator/jobs/task-targets.ts';
import { BrokerGateway } from '../orchestrator/pxp/broker-gateway.ts';
import { DeployedTasks } from '../orchestrator/tasks/deployed-tasks.ts';
import type { KeyVault } from '../store/ports/key-vault.ts';
import type { Stores } from '../store/ports/stores.ts';
import { Semaphore } from '../util/semaphore.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

interface OrchestratorParts {
  readonly stores: Stores;
  readonly log: LocalLog;
  readonly door: Pick<FrontDoor, 'access' | 'trusted'>;
  readonly credentials: ServerCredentials;
  /** Null: no agent can be reached. */
  readonly broker: Broker | null;
  readonly vault: KeyVault;
  /** Null without an inventory. */
  readonly inventory: InventoryReader | null;
  /** The certname of the server. */
  readonly server: string;
  /** The port of the front door, which has the reports. */
  readonly frontDoorPort: number;
}

/** The orchestrator's API, and what runs jobs behind it. */
export interface LocalOrchestrator {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

const START_DELAY_MS = 300;
const DAY_MS = 24 * 3600_000;
const PRUNE_MS = 3600_000;
const MOST_CONNECTIONS = 500;
const LARGE_BODIES_AT_ONCE = 2;

/**
 * Starts the orchestrator beside the front door, with its certificate. Null when it or the broker
 * is switched off, or when the default port is in use, which is logged. Throws ListenFailed for a
 * port that the operator named.
 */
export async function startLocalOrchestrator(
  options: LocalOptions,
  parts: OrchestratorParts,
): Promise<LocalOrchestrator | null> {
  const { host, orchestratorPort: port, isOrchestratorPortNamed } = options;
  const { stores, log, door, credentials, broker } = parts;
  if (port === 'off') return null;
  if (broker === null) {
    log.logEntry('There is no orchestrator without a PCP broker');
    return null;
  }
  const { app, run } = await assemble(options, { ...parts, broker });
  let server: EdgeServer;
  try {
    server = await startEdgeServer({
      app,
      credentials,
      trusted: door.trusted,
      host,
      port,
      clock: stores.clock,
      mostConnections: MOST_CONNECTIONS,
      reportFailure: (error) => log.logError('A connection failed', error),
    });
  } catch (error) {
    if (isOrchestratorPortNamed || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no orchestrator', error);
    return null;
  }
  const stopping = new AbortController();
  const running = run(stopping.signal);
  return {
    port: server.port,
    close: async (graceMs) => {
      await server.close(graceMs);
      stopping.abort();
      await running;
    },
  };
}

async function assemble(
  { keepJobs, host }: LocalOptions,
  {
    stores,
    log,
    door,
    broker,
    vault,
    inventory,
    server,
    frontDoorPort,
  }: OrchestratorParts & { readonly broker: Broker },
) {
  const { clock, blobs, jobs: store } = stores;
  const reportFailure = (message: string, cause: unknown) => log.logError(message, cause);
  const gateway = new BrokerGateway(broker, server, clock);
  await gateway.attach();
  const files = new FileServer(stores.environments, blobs);
  const tasks = new DeployedTasks(files);
  const engine = new JobEngine({
    jobs: store,
    blobs,
    clock,
    gateway,
    tasks,
    reports: findReports(stores),
    currency: readCurrency(stores),
    vault,
    limits: DEFAULT_PACING,
    startDelayMs: START_DELAY_MS,
    reportFailure,
  });
  const permissions = new Permissions(door.access);
  const targets = new KnownTargets(stores.nodes, inventory === null ? null : new InventoryQueries(inventory));
  const taskTargets = new TaskTargets(store, permissions, targets);
  const keepMs = keepJobs * DAY_MS;
  const jobs = new JobService({ stores, engine, permissions, targets, taskTargets, tasks, vault, keepMs });
  const plans = new PlanService(stores, { permissions, jobs, keepMs });
  const schedules = new ScheduleService({ store, blobs, clock, permissions, jobs, plans, vault, reportFailure });
  const shared = { stores, engine, jobs, plans, schedules, taskTargets, permissions, tasks, gateway, files, log };
  const address = host === '127.0.0.1' || host === '0.0.0.0' ? 'localhost' : host;
  const reportUrl = (certname: string, uuid: string) =>
    `https://${address}:${frontDoorPort}/understudy/v1/reports/${certname}/${uuid}`;
  return {
    app: createOrchestratorApp({ ...shared, reportUrl, largeBodies: new Semaphore(LARGE_BODIES_AT_ONCE) }),
    run: async (signal: AbortSignal) => {
      await Promise.all([engine.run(signal), schedules.run(signal), keepPruning(stores, signal, reportFailure)]);
    },
  };
}

async function keepPruning(
  stores: Stores,
  signal: AbortSignal,
  reportFailure: (message: string, cause: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    await pruneJobs(stores).catch((error: unknown) => reportFailure('Jobs could not be pruned', error));
    await stores.clock.sleep(PRUNE_MS, signal);
  }
}

/** A catalog is current when no reason to compile is outstanding. */
function readCurrency({ nodes }: Pick<Stores, 'nodes'>): CatalogCurrency {
  return {
    isCurrent: async (certname, environment) => {
      const node = await nodes.get(certname);
      if (node === null || node.catalog === null || node.built < node.wanted) return false;
      return environment === null || node.inputs?.environment === environment;
    },
  };
}

/** Reports are stored before the agent answers; those of runs that changed nothing are not. */
function findReports(stores: Pick<Stores, 'documents' | 'blobs'>): RunReports {
  return {
    find: async (certname, transactionUuid) => {
      const report = await findReport(stores, certname, transactionUuid);
      if (typeof report !== 'object' || report === null) return null;
      const version = 'configuration_version' in report ? report.configuration_version : null;
      return {
        hash: createHash('sha1').update(JSON.stringify(report)).digest('hex'),
        configurationVersion: version === null ? null : String(version),
      };
    },
  };
}
