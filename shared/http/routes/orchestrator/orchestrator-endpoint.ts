import type { Subject } from '../../../access/accounts/access-control.ts';
import type { JobEngine } from '../../../orchestrator/jobs/job-engine.ts';
import type { JobService } from '../../../orchestrator/jobs/job-service.ts';
import type { Permissions } from '../../../orchestrator/jobs/permissions.ts';
import type { PlanService } from '../../../orchestrator/jobs/plan-service.ts';
import type { JsonObject } from '../../../orchestrator/jobs/request-body.ts';
import type { ScheduleService } from '../../../orchestrator/jobs/schedule-service.ts';
import type { TaskTargets } from '../../../orchestrator/jobs/task-targets.ts';
import type { EnvironmentApplications } from '../../../orchestrator/order/environment-applications.ts';
import type { DeployedPlans } from '../../../orchestrator/plans/deployed-plans.ts';
import type { AgentPinger } from '../../../orchestrator/pxp/agent-pinger.ts';
import type { PxpGateway } from '../../../orchestrator/pxp/pxp-gateway.ts';
import type { TaskLibrary } from '../../../orchestrator/tasks/task-library.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { createRoute, type Route } from '../../route.ts';

/** The dependencies of the orchestrator's routes. */
export interface OrchestratorServices {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'documents' | 'environments' | 'nodes' | 'clock'>;
  readonly engine: Pick<JobEngine, 'stop'>;
  readonly jobs: JobService;
  readonly plans: PlanService;
  /** The plans of deployed environments. */
  readonly planLibrary: DeployedPlans;
  readonly schedules: ScheduleService;
  readonly taskTargets: TaskTargets;
  readonly permissions: Permissions;
  readonly tasks: TaskLibrary;
  readonly gateway: PxpGateway;
  readonly pinger: Pick<AgentPinger, 'ping'>;
  readonly applications: EnvironmentApplications;
  /** The address of a run's report; absent: none is shown. */
  readonly reportUrl?: (certname: string, transactionUuid: string) => string;
}

/** A request of a known user. */
export interface OrchestratorRequest {
  readonly subject: Subject;
  /** `https://HOST:PORT/orchestrator/v1`, as the client addressed the server. */
  readonly base: string;
  readonly query: URLSearchParams;
  /** A part of the path. */
  param(name: string): string;
  /** Rejects with OrchestratorError for anything but a JSON object. */
  readBody(): Promise<JsonObject>;
}

interface OrchestratorAnswer {
  readonly status: 200 | 202 | 204;
  readonly body: unknown;
}

/** A route below `/orchestrator/v1`. Every one needs the permission to view the orchestrator. */
export type OrchestratorEndpoint = Route<OrchestratorServices, OrchestratorRequest, OrchestratorAnswer>;

/** Like `createRoute`, below `/orchestrator/v1`. */
export const createOrchestratorRoute = createRoute<OrchestratorServices, OrchestratorRequest, OrchestratorAnswer>;

/** Status 200 with a body. */
export function answerWith(body: unknown): OrchestratorAnswer {
  return { status: 200, body };
}

/** Status 202 with a body: work goes on. */
export function acceptWith(body: unknown): OrchestratorAnswer {
  return { status: 202, body };
}
