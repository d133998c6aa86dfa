import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { AccessService } from '../../access/accounts/access-service.ts';
import { findReport } from '../../fleet/reports/node-reports.ts';
import type { Broker } from '../../orchestrator/broker/broker.ts';
import type { InventoryCommands } from '../../orchestrator/jobs/inventory-commands.ts';
import type { JobQueries } from '../../orchestrator/jobs/inventory-queries.ts';
import type { CatalogCurrency } from '../../orchestrator/jobs/job-context.ts';
import { type EngineOptions, JobEngine } from '../../orchestrator/jobs/job-engine.ts';
import { JobService } from '../../orchestrator/jobs/job-service.ts';
import { ClassifierNodes } from '../../orchestrator/jobs/node-group-nodes.ts';
import type { RunReports } from '../../orchestrator/jobs/node-outcome.ts';
import { DEFAULT_PACING, type PacingLimits } from '../../orchestrator/jobs/pacing.ts';
import { Permissions } from '../../orchestrator/jobs/permissions.ts';
import { PlanService } from '../../orchestrator/jobs/plan-service.ts';
import { pruneJobs } from '../../orchestrator/jobs/prune-jobs.ts';
import { ScheduleService } from '../../orchestrator/jobs/schedule-service.ts';
import { ScopeResolver } from '../../orchestrator/jobs/targets.ts';
import { TaskTargets } from '../../orchestrator/jobs/task-targets.ts';
import { assembleNotifier, type NotifyService } from '../../orchestrator/notify/assemble-notifier.ts';
import { DeployedGraphs } from '../../orchestrator/order/deployed-graphs.ts';
import { EnvironmentApplications, EnvironmentOrder } from '../../orchestrator/order/environment-applications.ts';
import { PlanActions } from '../../orchestrator/plan-runs/plan-actions.ts';
import { PlanEngine } from '../../orchestrator/plan-runs/plan-engine.ts';
import type { StartPlanThread } from '../../orchestrator/plan-runs/plan-thread.ts';
import { DeployedPlans } from '../../orchestrator/plans/deployed-plans.ts';
import { AgentPinger } from '../../orchestrator/pxp/agent-pinger.ts';
import { BrokerGateway } from '../../orchestrator/pxp/broker-gateway.ts';
import { DeployedTasks } from '../../orchestrator/tasks/deployed-tasks.ts';
import type { Doorbell } from '../../store/ports/doorbell.ts';
import type { NodeChangeLog } from '../../store/ports/node-changes.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import type { Bindings } from '../endpoint.ts';
import { FileServer } from '../files/file-server.ts';
import type { RequestLog } from '../services.ts';
import type { DoorStatus } from './door-status.ts';
import { createOrchestratorApp } from './orchestrator-app.ts';

interface OrchestratorParts {
  readonly stores: Stores;
  /** Rings when jobs are sent; absent where no other process shares the store, and in AWS. */
  readonly doorbell?: Doorbell | undefined;
  readonly log: RequestLog;
  readonly access: AccessService;
  /** Absent: its door shows no state. */
  readonly status?: DoorStatus;
  /** The way to the agents: those of this broker, and those of its neighbours. */
  readonly broker: Broker;
  /** Seals the sensitive parameters of jobs. */
  readonly vault: KeyVault;
  /** Answers queries of jobs and plans; null without an inventory. */
  readonly queries: JobQueries | null;
  /** Takes commands of plans to the inventory; absent without one. */
  readonly inventoryCommands?: InventoryCommands | null;
  /** Evaluates plans; absent: none can be run. */
  readonly startPlanThread?: StartPlanThread | null;
  /** The certname of the server. */
  readonly server: string;
  /** Returns the address of a report. */
  readonly reportUrl: (certname: string, transactionUuid: string) => string;
  /** Days that jobs are kept. */
  readonly keepDays: number;
  /** The changes of nodes, which make them run; null where others record them. */
  readonly changes: NodeChangeLog | null;
  /** The incumbent's by default. */
  readonly limits?: PacingLimits;
  /** Returns the number of processes that share the limits; 1 by default. */
  readonly countProcesses?: () => number;
  /** The type of the URI under which agents answer. Each of several orchestrators needs its own. */
  readonly controllerType?: string;
  /** Names this process in the lease of the notifier; `controllerType` by default. */
  readonly owner?: string;
  /** Receives the changes that steps of jobs make; absent: nobody. */
  readonly reportProgress?: EngineOptions['reportProgress'];
  /** Delays before jobs of a process that died are taken over; see `EngineOptions`. */
  readonly takeOver?: Pick<EngineOptions, 'leaseMs' | 'sweepMs'>;
}

/** The orchestrator's API, and what runs jobs behind it. */
export interface Orchestrator {
  readonly app: Hono<{ Bindings: Bindings }>;
  readonly engine: JobEngine;
  readonly notify: NotifyService;
  /**
   * Runs jobs, scheduled jobs and the notifier of changed catalogs until `signal` aborts, then ends
   * the steps in progress.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const START_DELAY_MS = 300;
const PRUNE_MS = 3600_000;

/** Connects the orchestrator to its stores and to the agents. */
export async function assembleOrchestrator(parts: OrchestratorParts): Promise<Orchestrator> {
  const { stores, log, broker, vault, queries, reportUrl } = parts;
  const { clock, blobs, jobs: store } = stores;
  const owner = parts.owner ?? parts.controllerType;
  const reportFailure = (message: string, cause: unknown) => log.logError(message, cause);
  const gateway = new BrokerGateway(broker, parts.server, clock, parts.controllerType);
  await gateway.attach();
  const files = new FileServer(stores.environments, blobs);
  const tasks = new DeployedTasks(files);
  const keepMs = parts.keepDays * DAY_MS;
  const logEntry = (text: string) => log.logEntry?.(text);
  const graphs = new DeployedGraphs(files);
  const notify = assembleNotifier({
    ...{ stores, graphs, changes: parts.changes, gateway, keepMs, log: logEntry, reportFailure },
    ...(owner === undefined ? {} : { owner }),
    doorbell: parts.doorbell,
  });
  const engine = new JobEngine({
    jobs: store,
    blobs,
    clock,
    gateway,
    tasks,
    reports: findReports(stores),
    currency: readCurrency(stores),
    gate: notify.gate,
    vault,
    limits: parts.limits ?? DEFAULT_PACING,
    ...(parts.countProcesses === undefined ? {} : { countProcesses: parts.countProcesses }),
    startDelayMs: START_DELAY_MS,
    reportProgress: parts.reportProgress,
    ...parts.takeOver,
    reportFailure,
  });
  notify.connect(engine);
  gateway.onConnect((certname) => notify.noteArrival(certname));
  const permissions = new Permissions(parts.access);
  const applications = new EnvironmentApplications(stores, graphs);
  const targets = new ScopeResolver(stores.nodes, { queries, applications, nodeGroups: new ClassifierNodes(stores) });
  const taskTargets = new TaskTargets(store, permissions, targets);
  const runOrder = new EnvironmentOrder(stores, graphs);
  const jobs = new JobService({ stores, engine, permissions, targets, taskTargets, tasks, vault, runOrder, keepMs });
  const planLibrary = new DeployedPlans(files);
  const plans = new PlanService(stores, { jobs, keepMs, library: planLibrary });
  const commands = parts.inventoryCommands ?? null;
  const planActions = new PlanActions({ jobs, stores, gateway, queries, commands });
  const startThread = parts.startPlanThread ?? null;
  const planEngine = new PlanEngine({ stores, plans, actions: planActions, startThread, reportFailure });
  if (startThread !== null) plans.connect(planEngine);
  const schedules = new ScheduleService({ store, blobs, clock, permissions, jobs, plans, vault, reportFailure });
  const doors = {
    gateway,
    pinger: new AgentPinger(gateway, clock),
    applications,
    planLibrary,
    log,
  };
  const shared = { stores, engine, jobs, plans, schedules, taskTargets, permissions, tasks, ...doors };
  return {
    app: createOrchestratorApp({
      ...shared,
      reportUrl,
      ...(parts.status === undefined ? {} : { status: parts.status }),
    }),
    engine,
    notify,
    run: async (signal: AbortSignal) => {
      const pruning = keepPruning(stores, signal, reportFailure);
      const planning = planEngine.run(signal);
      await Promise.all([engine.run(signal), schedules.run(signal), notify.run(signal), planning, pruning]);
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
