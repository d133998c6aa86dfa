import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { JobStore } from '../../store/ports/job-store.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { InventoryCommandRequest, InventoryCommands } from '../jobs/inventory-commands.ts';
import type { RowQueries } from '../jobs/inventory-queries.ts';
import { describeUnusableTask, type JobService } from '../jobs/job-service.ts';
import { readKeptValue } from '../jobs/kept-values.ts';
import { listNodeRuns } from '../jobs/load-job.ts';
import { OrchestratorError } from '../jobs/orchestrator-error.ts';
import type { Requester } from '../jobs/permissions.ts';
import type { JsonObject } from '../jobs/request-body.ts';
import type { PlanAction, PlanEffect, PlanFault, PlanOutcome } from '../plan-language/plan-effects.ts';
import type { PxpGateway } from '../pxp/pxp-gateway.ts';
import type { SecretMask } from './secret-mask.ts';

interface PlanActionParts {
  readonly jobs: JobService;
  readonly stores: { readonly jobs: JobStore; readonly blobs: Pick<BlobStore, 'get' | 'put'>; readonly clock: Clock };
  readonly gateway: Pick<PxpGateway, 'listConnected'>;
  /** Answers queries of plans; null without an inventory. */
  readonly queries: RowQueries | null;
  /** Takes commands of plans; null without an inventory. */
  readonly commands: InventoryCommands | null;
}

/** The plan that an action belongs to. */
export interface ActingPlan {
  readonly number: number;
  readonly requester: Requester;
  readonly environment: string;
  readonly mask: SecretMask;
  /** Called with each job that was made, before it is waited for. */
  noteJob(job: number, type: JobKind, description: string): Promise<void>;
}

const KINDS = {
  task: { type: 'plan_task', event: 'task_start' },
  command: { type: 'plan_command', event: 'command_start' },
  script: { type: 'plan_script', event: 'script_start' },
  upload: { type: 'plan_upload', event: 'upload_start' },
  apply: { type: 'plan_apply', event: 'apply_start' },
  facts: { type: 'plan_apply_prep', event: 'apply_prep_start' },
} as const;

/** It is no job: nothing is asked of agents. */
const WAIT = { type: null, event: 'wait_start' } as const;

export type JobKind = (typeof KINDS)[keyof typeof KINDS] | typeof WAIT;

/** The task behind each kind of action. */
const TASKS: Readonly<Record<Exclude<PlanAction['kind'], 'task' | 'wait'>, string>> = {
  command: 'bolt_shim::command',
  script: 'bolt_shim::script',
  upload: 'bolt_shim::upload',
  apply: 'apply_helpers::apply_catalog',
  facts: 'apply_helpers::custom_facts',
};

const NO_INVENTORY = 'This server has no inventory (--puppetdb-port)';

const STOPPED: PlanFault = { kind: 'puppetlabs.orchestrator/plan-stopped', msg: 'The plan was stopped', details: {} };

const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1000;
const ENDED = ['stopped', 'finished', 'failed'];

/** Performs the effects of plans, by jobs with the rights of the user who runs the plan. */
export class PlanActions {
  readonly #parts: PlanActionParts;

  constructor(parts: PlanActionParts) {
    this.#parts = parts;
  }

  /** Performs an effect; what goes wrong is the outcome. Ends early when `signal` aborts. */
  async perform(plan: ActingPlan, effect: PlanEffect, signal: AbortSignal): Promise<PlanOutcome> {
    try {
      if (!(await this.#isRunning(plan))) return { kind: 'fault', fault: STOPPED };
      if (effect.kind === 'query') return { kind: 'value', value: await this.#ask(plan, effect.query) };
      if (effect.kind === 'inventory_command') return { kind: 'value', value: await this.#send(plan, effect) };
      const { action } = effect;
      if (action.kind === 'wait') return { kind: 'results', values: await this.#waitFor(plan, action, signal) };
      return { kind: 'results', values: await this.#runAction(plan, action, signal) };
    } catch (error) {
      return { kind: 'fault', fault: toFault(error, effect) };
    }
  }

  async #ask({ requester }: ActingPlan, query: string): Promise<readonly unknown[]> {
    const { queries, jobs } = this.#parts;
    if (queries === null) throw new OrchestratorError('puppetdb-error', NO_INVENTORY);
    await jobs.rights.demandQuery(requester);
    return queries.ask(query);
  }

  async #send({ requester }: ActingPlan, request: InventoryCommandRequest): Promise<string> {
    const { commands, jobs } = this.#parts;
    if (commands === null) throw new OrchestratorError('puppetdb-error', NO_INVENTORY);
    await jobs.rights.demandInventoryChange(requester);
    return commands.send(request);
  }

  /** Makes a job for all targets, or for each group of targets with the same parameters. */
  async #runAction(plan: ActingPlan, action: PlanAction, signal: AbortSignal): Promise<readonly JsonObject[]> {
    const { targets, params, paramsByTarget } = action;
    const groups = Map.groupBy(targets, (target) => JSON.stringify(paramsByTarget?.[target] ?? params));
    const made = await Promise.all(
      [...groups].map(async ([text, names]) => {
        const given: unknown = JSON.parse(text);
        return this.#runJob(plan, action, names, isJsonObject(given) ? given : {}, signal);
      }),
    );
    const results = new Map(made.flatMap((one) => [...one]));
    return targets.map((target) => results.get(target) ?? lostResult(target));
  }

  async #runJob(
    plan: ActingPlan,
    action: PlanAction,
    nodes: readonly string[],
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const { jobs } = this.#parts;
    const { mask, number, requester, environment } = plan;
    const kind = KINDS[action.kind === 'wait' ? 'task' : action.kind];
    const description = mask.text(action.description);
    const task = action.kind === 'task' || action.kind === 'wait' ? String(action.task) : TASKS[action.kind];
    const sensitive = Object.keys(params).filter((name) => mask.isIn(params[name]));
    const body = {
      task,
      params,
      scope: { nodes },
      environment,
      plan_job: number,
      ...(action.noop ? { noop: true } : {}),
      description,
    };
    const job = await jobs.runTask(requester, body, { planJob: number, sensitive, command: kind.type });
    await plan.noteJob(job, kind, description);
    // Who stops the plan from now on finds the job in it.
    if (!(await this.#isRunning(plan))) await jobs.stopAny(job, 'soft');
    await this.#untilEnded(job, signal);
    return this.#readResults(job);
  }

  /** False as soon as any server ended the plan. */
  async #isRunning({ number }: ActingPlan): Promise<boolean> {
    const ledger = await this.#parts.stores.jobs.get('plan', number);
    return ledger?.body.state === 'running';
  }

  async #untilEnded(job: number, signal: AbortSignal): Promise<void> {
    const { jobs, clock } = this.#parts.stores;
    for (let pauseMs = FIRST_LOOK_MS; !signal.aborted; pauseMs = Math.min(LONGEST_LOOK_MS, pauseMs * 1.5)) {
      const ledger = await jobs.get('job', job);
      if (ledger === null || ENDED.includes(String(ledger.body.stays.at(-1)?.state))) return;
      await clock.sleep(pauseMs, signal);
    }
  }

  async #readResults(job: number): Promise<ReadonlyMap<string, JsonObject>> {
    const { jobs, blobs } = this.#parts.stores;
    const results = new Map<string, JsonObject>();
    for await (const { name, result, state } of listNodeRuns(jobs, job)) {
      const value = result === null ? null : await readKeptValue(blobs, result);
      if (isJsonObject(value)) results.set(name, completeResult(name, value, state));
      else results.set(name, stateResult(name, state));
    }
    return results;
  }

  /** Waits until the agents of all targets are connected. */
  async #waitFor(plan: ActingPlan, action: PlanAction, signal: AbortSignal): Promise<readonly JsonObject[]> {
    const { gateway, stores } = this.#parts;
    const { targets, params } = action;
    const until = stores.clock.now() + 1000 * Number(params.wait_time);
    const pauseMs = Math.max(100, 1000 * Number(params.retry_interval));
    await plan.noteJob(0, WAIT, plan.mask.text(action.description));
    for (;;) {
      const connected = new Set((await gateway.listConnected(targets)).map(({ certname }) => certname));
      const isOver = targets.every((target) => connected.has(target)) || stores.clock.now() >= until || signal.aborted;
      if (isOver) return targets.map((target) => (connected.has(target) ? {} : createTimeoutResult()));
      await stores.clock.sleep(pauseMs, signal);
    }
  }
}

// Bolt: lib/bolt/executor.rb (wait_until)
function createTimeoutResult(): JsonObject {
  const error = {
    kind: 'puppetlabs.tasks/exception-error',
    issue_code: 'EXCEPTION',
    msg: 'Timed out waiting for target',
  };
  return { _error: { ...error, details: { class: 'Bolt::Executor::TimeoutError' } } };
}

/** The error of a node that could not be asked; Bolt wants it under `_error`. */
function completeResult(name: string, value: JsonObject, state: string): JsonObject {
  if (state === 'finished' || value._error !== undefined) return value;
  if (typeof value.kind === 'string' && typeof value.msg === 'string') return { _error: value };
  return state === 'errored' ? stateResult(name, state) : value;
}

function stateResult(name: string, state: string): JsonObject {
  return state === 'finished' ? {} : executionFailure(name, `The node ended ${state}`);
}

function lostResult(name: string): JsonObject {
  return executionFailure(name, 'The node did not run: its job was stopped');
}

function executionFailure(node: string, msg: string): JsonObject {
  return { _error: { kind: 'puppetlabs.orchestrator/execution-failure', msg, details: { node } } };
}

function toFault(error: unknown, effect: PlanEffect): PlanFault {
  const unusable = describeUnusableTask(error);
  if (unusable !== null) return unusable;
  if (!(error instanceof OrchestratorError)) throw error;
  const { kind, message, details } = error;
  if (effect.kind !== 'action') return { kind: 'bolt/puppetdb-error', msg: message, details: {} };
  const { task } = effect.action;
  if (kind.endsWith('/unknown-task')) return { kind: 'bolt/unknown-task', msg: message, details: { task } };
  const { faults } = details;
  if (Array.isArray(faults)) {
    const list = faults.map((one) => ` ${String(one)}`).join('\n');
    return { kind: 'bolt/issue', msg: `Task ${task}:\n${list}`, details: { code: 'TYPE_MISMATCH' } };
  }
  if (message.endsWith(' does not support noop')) {
    return { kind: 'bolt/issue', msg: 'Task does not support noop', details: { code: 'TASK_NO_NOOP' } };
  }
  return { kind, msg: message, details };
}
