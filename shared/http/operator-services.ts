import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { AUTHORITY } from '../config/front-doors.ts';
import { MEASURES } from '../config/metrics.ts';
import { ORCHESTRATOR } from '../config/orchestrator.ts';
import { joinBrokers } from '../orchestrator/broker/join-brokers.ts';
import type { TargetQueries } from '../orchestrator/jobs/inventory-queries.ts';
import type { PacingLimits } from '../orchestrator/jobs/pacing.ts';
import { ORCHESTRATOR_TYPE } from '../orchestrator/pxp/broker-gateway.ts';
import type { KeyVault } from '../store/ports/key-vault.ts';
import type { Stores } from '../store/ports/stores.ts';
import { createAccessApp } from './access-app.ts';
import { createClassifierServices } from './classifier-services.ts';
import type { FrontDoor } from './front-door.ts';
import { type EdgeServer, startEdgeServer } from './listener/edge-server.ts';
import { notifyLoad } from './notify-metrics.ts';
import { assembleOrchestrator } from './orchestrator-service.ts';
import type { RequestLog } from './services.ts';

export interface OperatorServicesOptions {
  readonly stores: Stores;
  readonly door: Pick<FrontDoor, 'access' | 'groups' | 'isRevoked' | 'trusted'>;
  readonly credentials: ServerCredentials;
  readonly log: RequestLog;
  readonly host: string;
  readonly accessPort: number;
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
  /** Finds the nodes of queries; null without an inventory. */
  readonly queries: TargetQueries | null;
}

export interface OperatorServices {
  /** What is measured of jobs, by the metric's name in CloudWatch. */
  readonly takeLoad: () => Readonly<Record<string, number>>;
  /** Rejects when the process has to end: another one took its place among the brokers. */
  readonly ended: Promise<never>;
  /** Requests in progress get `graceMs`; then jobs are left to another process. */
  close(graceMs: number): Promise<void>;
}

/** People and pipelines use these ports, not agents. */
const MOST_CONNECTIONS = 500;

/**
 * Serves the access API and the orchestrator's API, and runs jobs. Agents are connected to brokers
 * of other processes. Throws ListenFailed.
 */
export async function startOperatorServices(options: OperatorServicesOptions): Promise<OperatorServices> {
  const { stores, door, log, accessPort } = options;
  const { clock } = stores;
  const classifier = createClassifierServices(stores, door.groups, log);
  const app = createAccessApp({ access: door.access, isRevoked: door.isRevoked, classifier, clock, log });
  const access = await listen(options, app, accessPort);
  if (options.orchestrator === null) {
    return { takeLoad: () => ({}), ended: new Promise(() => {}), close: (graceMs) => access.close(graceMs) };
  }
  const jobs = await startJobs(options, options.orchestrator);
  return {
    ...jobs,
    close: async (graceMs) => {
      await Promise.all([access.close(graceMs), jobs.close(graceMs)]);
    },
  };
}

async function startJobs(
  options: OperatorServicesOptions,
  { port, instance, server, vault, limits, keepDays, queries }: JobsSettings,
): Promise<OperatorServices> {
  const { stores, door, log } = options;
  const site = { instance, pace: ORCHESTRATOR.mail };
  const joined = await joinBrokers(stores, site, (message, cause) => log.logError(message, cause));
  const { app, engine, notify, run } = await assembleOrchestrator({
    ...{ stores, log, broker: joined.broker, vault, server, limits, queries, changes: null },
    access: door.access,
    countProcesses: joined.countServices,
    controllerType: `${ORCHESTRATOR_TYPE}-${instance}`,
    reportUrl: (certname, uuid) => `https://${server}:${AUTHORITY.port}/understudy/v1/reports/${certname}/${uuid}`,
    keepDays,
    takeOver: ORCHESTRATOR,
  });
  const takeNotifyLoad = notifyLoad(notify);
  const listener = await listen(options, app, port);
  const stopping = new AbortController();
  const running = run(stopping.signal);
  const ended = joined.ended.then((): Promise<never> => {
    if (stopping.signal.aborted) return new Promise(() => {});
    throw new Error(`another process joined the brokers as '${instance}'`);
  });
  return {
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
  app: Parameters<typeof startEdgeServer>[0]['app'],
  port: number,
): Promise<EdgeServer> {
  return startEdgeServer({
    ...{ app, credentials, host, port, trusted: door.trusted, clock: stores.clock },
    mostConnections: MOST_CONNECTIONS,
    reportFailure: (error) => log.logError('A connection failed', error),
  });
}
