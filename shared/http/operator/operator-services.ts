import type { ServerCredentials } from '../../access/ca/server-credentials.ts';
import { CONNECTIONS, type ConnectionSettings } from '../../config/connections.ts';
import { AUTHORITY } from '../../config/front-doors.ts';
import { MEASURES } from '../../config/metrics.ts';
import { ORCHESTRATOR } from '../../config/orchestrator.ts';
import { joinBrokers } from '../../orchestrator/broker/join-brokers.ts';
import type { JobQueries } from '../../orchestrator/jobs/inventory-queries.ts';
import type { PacingLimits } from '../../orchestrator/jobs/pacing.ts';
import type { StartPlanThread } from '../../orchestrator/plan-runs/plan-thread.ts';
import { ORCHESTRATOR_TYPE } from '../../orchestrator/pxp/broker-gateway.ts';
import type { InventoryApi } from '../../store/ports/inventory-answers.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { LoadAssets } from '../console/console-files.ts';
import { startConsoleServer } from '../console/console-server.ts';
import { shareAssets } from '../console/kept-assets.ts';
import type { FrontDoor } from '../front-door.ts';
import { type EdgeServer, startEdgeServer } from '../listener/edge-server.ts';
import type { FetchApp } from '../listener/node-listener.ts';
import { passQueries } from '../routes/inventory/passed-requests.ts';
import type { RequestLog } from '../services.ts';
import { createAccessApp } from './access-app.ts';
import { createClassifierServices } from './classifier-services.ts';
import { createInventoryTlsApp } from './inventory-tls-app.ts';
import { showJobs } from './job-events.ts';
import { JobsElsewhere } from './jobs-elsewhere.ts';
import { notifyLoad } from './notify-metrics.ts';
import { assembleOrchestrator } from './orchestrator-service.ts';

export interface OperatorServicesOptions {
  readonly stores: Stores;
  readonly door: Pick<
    FrontDoor,
    'access' | 'fleet' | 'forms' | 'groups' | 'isRevoked' | 'operatorApi' | 'status' | 'trusted'
  >;
  readonly credentials: ServerCredentials;
  readonly log: RequestLog;
  readonly host: string;
  readonly accessPort: number;
  readonly consolePort: number;
  /** The files of the console's client. */
  readonly loadAssets: LoadAssets;
  /** Answers queries of the console; null without an inventory. */
  readonly inventory: InventoryApi | null;
  /** Null: no jobs run here. */
  readonly orchestrator: JobsSettings | null;
}

export interface JobsSettings {
  readonly port: number;
  /** Unique among all processes that ever joined the brokers. */
  readonly instance: string;
  /** The certname of the server, under which agents see the orchestrator. */
  readonly server: string;
  readonly vault: KeyVault;
  readonly limits: PacingLimits;
  /** Days that jobs are kept. */
  readonly keepDays: number;
  /** Answers queries of jobs and plans; null without an inventory. */
  readonly queries: JobQueries | null;
  /** Evaluates plans. */
  readonly startPlanThread: StartPlanThread;
}

export interface OperatorServices {
  /** Takes the measurements of jobs, by the metric's name in CloudWatch. */
  readonly takeLoad: () => Readonly<Record<string, number>>;
  /** Rejects when the process has to end: another one took its place among the brokers. */
  readonly ended: Promise<never>;
  /** Requests in progress get `graceMs`; then jobs are left to another process. */
  close(graceMs: number): Promise<void>;
}

const INVENTORY_ABSENCE = 'This deployment has no inventory: set understudy:inventory and deploy the stack';
interface Jobs extends OperatorServices {
  readonly app: FetchApp;
}

/**
 * Serves the access API, the orchestrator's API and the console with both, and runs jobs. Agents
 * are connected to brokers of other processes. Throws ListenFailed.
 */
export async function startOperatorServices(options: OperatorServicesOptions): Promise<OperatorServices> {
  const { stores, door, log, accessPort, consolePort } = options;
  const { clock } = stores;
  const classifier = createClassifierServices(stores, door, log);
  const { isRevoked, status } = door;
  const accessApp = createAccessApp({ access: door.access, isRevoked, status, classifier, clock, log });
  const access = await listen(options, accessApp, accessPort, CONNECTIONS.access);
  const jobs = options.orchestrator && (await startJobs(options, options.orchestrator));
  const page = await startConsoleServer({
    ...{ ...options, ...shareAssets(options), clock, accessApp, port: consolePort },
    orchestratorApp: jobs?.app ?? null,
    inventoryApp: createQueryApp(options),
    inventoryAbsence: INVENTORY_ABSENCE,
  });
  return {
    takeLoad: () => jobs?.takeLoad() ?? {},
    ended: jobs?.ended ?? new Promise(() => {}),
    close: async (graceMs) => {
      await Promise.all([access.close(graceMs), page.close(graceMs), jobs?.close(graceMs)]);
    },
  };
}

/** The app of queries at the console's door, where only tokens count; null without an inventory. */
function createQueryApp({ stores, door, log, inventory }: OperatorServicesOptions): FetchApp | null {
  if (inventory === null) return null;
  const { clock } = stores;
  const reportFault = (error: unknown) => log.logError('A query of the inventory failed', error);
  return createInventoryTlsApp({
    ...{ clock, log, reportFault, access: door.access, isRevoked: door.isRevoked },
    answer: passQueries(inventory, clock, reportFault),
    allowedCertnames: new Set(),
  });
}

async function startJobs(
  options: OperatorServicesOptions,
  { port, instance, server, vault, limits, keepDays, queries, startPlanThread }: JobsSettings,
): Promise<Jobs> {
  const { stores, door, log } = options;
  const site = { instance, pace: ORCHESTRATOR.mail };
  const joined = await joinBrokers(stores, site, (message, cause) => log.logError(message, cause));
  const reportProgress = showJobs(door.fleet.events, stores.clock);
  const { app, engine, notify, run } = await assembleOrchestrator({
    ...{ stores, log, broker: joined.broker, vault, server, limits, queries, changes: null, startPlanThread },
    access: door.access,
    status: door.status,
    reportProgress,
    countProcesses: joined.countServices,
    controllerType: `${ORCHESTRATOR_TYPE}-${instance}`,
    reportUrl: (certname, uuid) => `https://${server}:${AUTHORITY.port}/understudy/v1/reports/${certname}/${uuid}`,
    keepDays,
    takeOver: ORCHESTRATOR,
  });
  const takeNotifyLoad = notifyLoad(notify);
  const listener = await listen(options, app, port, CONNECTIONS.orchestrator);
  const stopping = new AbortController();
  const elsewhere = new JobsElsewhere({
    ...{ jobs: stores.jobs, clock: stores.clock, reportProgress, findOwn: () => engine.active },
    isWatched: () => door.fleet.watch.isWatched,
    reportFailure: (message, cause) => log.logError(message, cause),
  });
  const running = Promise.all([run(stopping.signal), elsewhere.run(stopping.signal)]);
  const ended = joined.ended.then((): Promise<never> => {
    if (stopping.signal.aborted) return new Promise(() => {});
    throw new Error(`another process joined the brokers as '${instance}'`);
  });
  return {
    app,
    ended,
    takeLoad: () => ({
      [MEASURES.activeJobs.cloudWatch]: engine.active.length,
      [MEASURES.jobsPutOff.cloudWatch]: engine.putOff,
      [MEASURES.brokerMailWait.cloudWatch]: Math.round(joined.takeLongestWait() / 1000),
      ...takeNotifyLoad(),
    }),
    close: async (graceMs) => {
      await listener.close(graceMs);
      stopping.abort();
      await running;
      await joined.stop();
    },
  };
}

function listen(
  { door, credentials, host, stores, log }: OperatorServicesOptions,
  app: FetchApp,
  port: number,
  connections: ConnectionSettings,
): Promise<EdgeServer> {
  return startEdgeServer({
    ...{ app, credentials, host, port, trusted: door.trusted, clock: stores.clock },
    connections,
    reportFailure: (error) => log.logError('A connection failed', error),
  });
}
