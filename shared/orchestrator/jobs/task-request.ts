import { isJsonObject } from '../../util/json-object.ts';
import { readPositive } from './deploy-request.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import { type BodyType, checkBody, invalidRequest, isSet, type JsonObject, objectOf, textOf } from './request-body.ts';
import { readScope, type TargetScope } from './targets.ts';

/** A checked request to run a task. The task itself has not been looked at. */
export interface TaskRequest {
  readonly task: string;
  readonly params: JsonObject;
  readonly scope: TargetScope;
  readonly environment: string;
  readonly noop: boolean;
  readonly timeoutMs: number | null;
  /** The plan job as the request gave it; null for none. */
  readonly planJob: string | number | null;
  /** The request as the job shows it, but for params. */
  readonly options: JsonObject;
  readonly description: string;
  readonly userdata: JsonObject;
  /** Names of nodes that are to be reached without an agent. */
  readonly hostnames: readonly string[];
}

const KEYS: Readonly<Record<string, BodyType>> = {
  task: 'string',
  params: 'object',
  scope: 'object',
  environment: 'string',
  noop: 'boolean',
  description: 'string',
  userdata: 'object',
  timeout: 'integer',
  targets: 'list',
};

/** Checks the body of `command/task`, or that of `command/plan_task`. Throws OrchestratorError. */
export function readTaskRequest(given: JsonObject, isOfPlan = false): TaskRequest {
  const required = ['task', 'params', 'scope', ...(isOfPlan ? ['plan_job'] : [])];
  const body = checkBody(given, isOfPlan ? { ...KEYS, plan_job: 'any' } : KEYS, required);
  const timeout = readPositive(body, 'timeout');
  const { userdata, params, targets, ...shown } = body;
  const environment = textOf(body, 'environment', 'production');
  return {
    task: textOf(body, 'task'),
    params: objectOf(body, 'params'),
    scope: readTaskScope(body.scope),
    environment,
    noop: isSet(body, 'noop'),
    timeoutMs: timeout === null ? null : timeout * 1000,
    planJob: isOfPlan ? readPlanJob(body.plan_job) : null,
    options: { noop: null, description: '', sensitive: [], 'scheduled-job-id': null, ...shown, environment },
    description: textOf(body, 'description'),
    userdata: objectOf(body, 'userdata'),
    hostnames: readHostnames(targets),
  };
}

function readTaskScope(given: unknown): TargetScope {
  const scope = readScope(given);
  if (scope.kind === 'application') throw invalidRequest('A task has no application as scope', { scope: given });
  return scope;
}

function readPlanJob(given: unknown): string | number {
  if (typeof given === 'number' && Number.isSafeInteger(given)) return given;
  if (typeof given === 'string' && /^\d+$/.test(given)) return given;
  throw invalidRequest('plan_job must be the name of a plan job', { plan_job: given });
}

function readHostnames(targets: unknown): readonly string[] {
  if (!Array.isArray(targets)) return [];
  return targets.flatMap((target: unknown) => {
    const names: unknown = isJsonObject(target) ? target.hostnames : undefined;
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
    throw invalidRequest('targets must be objects with hostnames', { targets: names ?? null });
  });
}

/** Refuses targets without an agent: they need a transport of their own. */
export function refuseTransports({ hostnames }: TaskRequest, nodes: readonly string[]): void {
  if (hostnames.length === 0) return;
  const foreign = hostnames.filter((name) => !nodes.includes(name));
  if (foreign.length > 0) {
    throw new OrchestratorError('empty-target', 'targets name nodes that are not in scope', { hostnames: foreign });
  }
  const message = 'Tasks run on agents only: this server has no transport for ssh and winrm';
  throw new OrchestratorError('not-available', message, { hostnames });
}
