import type { Subject } from '../../access/accounts/access-control.ts';
import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import type { JobRecord, PlanCommand } from '../../store/ports/job-records.ts';
import type { Ledger, StopRequest } from '../../store/ports/job-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { type LibraryTask, type TaskLibrary, UnusableTask } from '../tasks/task-library.ts';
import { arrangeTargets } from './arrange-targets.ts';
import { findBuiltInTask, jobFileKey, orderBuiltInTask } from './built-in-tasks.ts';
import { type DeployRequest, readDeployRequest } from './deploy-request.ts';
import type { JobEngine } from './job-engine.ts';
import type { JobOrder, JobTargets, Precedence, RunOrder } from './job-order.ts';
import { keepValue } from './kept-values.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { Permissions, Requester } from './permissions.ts';
import { invalidRequest, type JsonObject } from './request-body.ts';
import { RunRights } from './run-rights.ts';
import type { TargetResolver, TargetScope } from './targets.ts';
import { readTaskRequest, refuseTransports, type TaskRequest } from './task-request.ts';
import type { TaskTargets } from './task-targets.ts';

interface JobServiceParts {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'environments' | 'clock'>;
  readonly engine: Pick<JobEngine, 'open' | 'stop'>;
  readonly permissions: Permissions;
  readonly targets: TargetResolver;
  readonly taskTargets: TaskTargets;
  readonly tasks: TaskLibrary;
  readonly vault: KeyVault;
  /** Absent: nodes run in any order. */
  readonly runOrder?: RunOrder;
  /** Retention of jobs. */
  readonly keepMs: number;
}

/** Content of the kept value `options` of a job. */
export interface ShownRequest {
  readonly options: JsonObject;
  readonly userdata: JsonObject;
}

/** The part of the product that runs a task, if that is no command of a user. */
interface TaskOrigin {
  /** The plan job. */
  readonly planJob?: number | null;
  /** Parameters that are sensitive beside those of the task's metadata. */
  readonly sensitive?: readonly string[];
  /** The type of a plan's job; `plan_task` by default. */
  readonly command?: PlanCommand;
}

/** Plan of a request to run Puppet. */
export interface PlannedDeploy {
  readonly request: DeployRequest;
  readonly targets: JobTargets;
  readonly precedences: readonly Precedence[];
}

/** Larger options and orders are in blobs: lists of jobs read the rest of each. */
const MOST_IN_HEAD_BYTES = 4096;

interface NewJob
  extends Pick<JobRecord, 'command' | 'environment' | 'task' | 'description' | 'concurrency' | 'planJob'> {
  readonly owner: Subject;
  readonly targets: JobTargets;
  readonly shown: ShownRequest;
  /** Makes the order of a job with this number, and stores what agents get with it. */
  readonly makeOrder: (number: number) => Promise<JobOrder>;
}

/** Makes jobs from requests, and stops them. All methods reject with OrchestratorError. */
export class JobService {
  /** The rights that users need for it. */
  readonly rights: RunRights;
  readonly #parts: JobServiceParts;

  constructor(parts: JobServiceParts) {
    this.#parts = parts;
    this.rights = new RunRights({ ...parts, blobs: parts.stores.blobs });
  }

  /** `command/deploy`: runs Puppet. Returns the job's number. */
  async deploy(owner: Requester, body: JsonObject): Promise<number> {
    const { request, targets } = await this.planDeploy(owner, body);
    const { environment, options, userdata, description, concurrency, order } = request;
    return this.#create({
      command: 'deploy',
      environment,
      task: null,
      description,
      concurrency,
      planJob: null,
      owner,
      targets,
      shown: { options, userdata },
      makeOrder: async () => order,
    });
  }

  /** Finds what `deploy` would run, in which order, and makes no job. */
  async planDeploy(owner: Requester, body: JsonObject): Promise<PlannedDeploy> {
    await this.rights.demandPuppet(owner);
    const request = readDeployRequest(body);
    const { environment, scope } = request;
    if (environment !== '') await this.requireEnvironment(environment);
    const names = await this.resolve(owner, scope, environment);
    const precedences = (await this.#parts.runOrder?.order(environment, names)) ?? [];
    return { request, precedences, targets: arrangeTargets(names, precedences) };
  }

  /** `command/task`, `command/plan_task`, or a scheduled job. Returns the job's number. */
  async runTask(
    owner: Requester,
    body: JsonObject,
    { planJob = null, sensitive: named = [], command = 'plan_task' }: TaskOrigin = {},
  ): Promise<number> {
    const request = readTaskRequest(body, planJob !== null);
    const { environment, options, userdata, description } = request;
    await this.requireEnvironment(environment);
    const found = await this.findTask(environment, request.task);
    const task = { ...found, sensitive: [...new Set([...found.sensitive, ...named])] };
    const names = await this.resolve(owner, request.scope, environment);
    await this.rights.demandTask(owner, task.name, environment, async () => names);
    refuseTransports(request, names);
    const input = this.checkTask(task, request);
    const sensitive = task.sensitive.filter((name) => request.params[name] !== undefined);
    const isShown = ([name]: readonly [string, unknown]) => !sensitive.includes(name);
    const params = Object.fromEntries(Object.entries(request.params).filter(isShown));
    return this.#create({
      command: planJob === null ? 'task' : command,
      environment,
      task: task.name,
      description,
      concurrency: null,
      planJob,
      owner,
      targets: { names },
      shown: { options: { ...options, params, sensitive }, userdata },
      makeOrder: (number) => this.#orderTask(number, task, request, input),
    });
  }

  /** `command/stop`. Returns the job as it was. */
  async stop(subject: Subject, number: number, stop: StopRequest): Promise<Ledger<JobRecord>> {
    const ledger = await this.#parts.stores.jobs.get('job', number);
    if (ledger !== null) await this.rights.demandStop(subject, ledger);
    return this.stopAny(number, stop);
  }

  /** Stops a job, whoever asks. Returns the job as it was. */
  async stopAny(number: number, stop: StopRequest): Promise<Ledger<JobRecord>> {
    const ledger = await this.#parts.engine.stop(number, stop);
    if (ledger === null) throw unknownJobError(number);
    return ledger;
  }

  /** Rejects unless the environment is deployed. */
  async requireEnvironment(name: string): Promise<void> {
    const record = isEnvironmentName(name) ? await this.#parts.stores.environments.get(name) : null;
    if (record !== null) return;
    throw new OrchestratorError('unknown-environment', `Unknown environment ${name}`, { environment: name });
  }

  /** Finds a task of the environment, or one that every environment has. */
  async findTask(environment: string, name: string): Promise<LibraryTask> {
    const task = (await this.#parts.tasks.find(environment, name)) ?? findBuiltInTask(name, environment);
    if (task === null) throw new OrchestratorError('unknown-task', `Unknown task ${name}${hintAt(name)}`);
    return task;
  }

  /** Finds the nodes of a scope that a user may look at; there may be none. */
  async find(subject: Requester, scope: TargetScope, environment = ''): Promise<readonly string[]> {
    await this.rights.demandScope(subject, scope);
    return this.#parts.targets.resolve(scope, environment);
  }

  /** Finds the nodes of a scope, which may be none only by an error. */
  async resolve(subject: Requester, scope: TargetScope, environment: string): Promise<readonly string[]> {
    const names = await this.find(subject, scope, environment);
    if (names.length > 0) return names;
    if (scope.kind !== 'environment') throw new OrchestratorError('empty-target', 'No nodes in target');
    const message = `No nodes in environment ${environment}`;
    throw new OrchestratorError('empty-environment', message, { environment });
  }

  /** Returns the input of a task with its defaults. Throws OrchestratorError. */
  checkTask(task: LibraryTask, { params, noop }: Pick<TaskRequest, 'params' | 'noop'>): JsonObject {
    if (noop && !task.supportsNoop) throw invalidRequest(`The task ${task.name} does not support noop`);
    const { input, faults } = this.#parts.tasks.checkParameters(task, params);
    const list = faults.map((fault) => `  ${fault}`).join('\n');
    if (faults.length > 0) throw invalidRequest(`Task ${task.name}:\n${list}`, { faults });
    return input;
  }

  async #orderTask(number: number, task: LibraryTask, request: TaskRequest, input: JsonObject): Promise<JobOrder> {
    const { noop, environment, timeoutMs } = request;
    const common = { noop, noNoop: false, environment, timeoutMs };
    if (task.codeId === null) {
      const { files, ...order } = orderBuiltInTask(number, task, input, noop);
      for (const { sha256, bytes } of files) await this.#parts.stores.blobs.put(jobFileKey(number, sha256), bytes);
      return { ...order, ...(await this.#seal(task, order.params)), ...common };
    }
    const { name, metadata } = task;
    const params = {
      task: name,
      input: noop ? { ...input, _noop: true } : input,
      metadata,
      ...(typeof metadata.input_method === 'string' ? { input_method: metadata.input_method } : {}),
      files: await this.#parts.tasks.filesFor(task),
    };
    return { kind: 'task', module: 'task', action: 'run', ...(await this.#seal(task, params)), ...common };
  }

  /** Seals what an agent gets when some of it is not to be stored in clear. */
  async #seal({ sensitive }: LibraryTask, params: JsonObject): Promise<Pick<JobOrder, 'params' | 'sealed'>> {
    if (sensitive.length === 0) return { params, sealed: null };
    return { params: null, sealed: await this.#parts.vault.seal(JSON.stringify(params)) };
  }

  async #create({ targets, shown, makeOrder, owner, ...rest }: NewJob): Promise<number> {
    const { stores, engine, keepMs } = this.#parts;
    const { jobs, blobs, clock } = stores;
    const number = await jobs.takeNumbers('ledgers', 1);
    const now = clock.now();
    const key = `jobs/${number}/targets`;
    const order = await keepValue(blobs, `jobs/${number}/order`, await makeOrder(number), MOST_IN_HEAD_BYTES);
    const options = await keepValue(blobs, `jobs/${number}/options`, shown, MOST_IN_HEAD_BYTES);
    await blobs.put(key, Buffer.from(JSON.stringify(targets)));
    const nodeCount = targets.names.length;
    const body: JobRecord = {
      ...rest,
      owner: describeOwner(owner),
      createdAt: now,
      startedAt: null,
      finishedAt: null,
      stays: [{ state: 'new', enteredAt: now, leftAt: null }],
      options,
      order,
      targets: key,
      nodeCount,
      nodeStates: { new: nodeCount },
    };
    await jobs.create('job', number, body, { isOpen: true, expiresAt: now + keepMs });
    await engine.open(number);
    return number;
  }
}

/** The parts of a user that are stored with what he made. */
export function describeOwner(subject: Subject): JobRecord['owner'] {
  const { id, login, email, displayName, isGroup, isRemote, isSuperuser, isRevoked, lastLogin, roleIds } = subject;
  return { id, login, email, displayName, isGroup, isRemote, isSuperuser, isRevoked, lastLogin, roleIds };
}

/** Bolt asks for tasks of this module when no agent answers for one. */
function hintAt(task: string): string {
  return task === 'puppet_agent::install' ? ': the module puppet_agent has it, and is not deployed' : '';
}

/** Makes the error for a number that no job has. */
export function unknownJobError(number: number | string): OrchestratorError {
  return new OrchestratorError('unknown-job', `Unknown job ${number}`, { job: String(number) });
}

/** The error of a request for a task that cannot be run as deployed; null for other errors. */
export function describeUnusableTask(error: unknown): { kind: string; msg: string; details: JsonObject } | null {
  return error instanceof UnusableTask ? { kind: error.kind, msg: error.message, details: error.details } : null;
}
