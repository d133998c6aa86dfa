import type { Subject } from '../../access/accounts/access-control.ts';
import type { LedgerEvent, PlanRecord } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { DeployedPlans } from '../plans/deployed-plans.ts';
import type { PlanMetadata } from '../plans/plan-metadata.ts';
import { readPositive } from './deploy-request.ts';
import { describeOwner, type JobService, unknownJobError } from './job-service.ts';
import { keepValue } from './kept-values.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { Requester } from './permissions.ts';
import type { PlanConclusion, PlanRunner } from './plan-runner.ts';
import { checkBody, invalidRequest, type JsonObject, objectOf, stringsOf, textOf } from './request-body.ts';
import { readScope } from './targets.ts';

const MOST_IN_HEAD_BYTES = 4096;
/** Races in a row of writers of one plan job; more do not occur. */
const MOST_RACES = 50;

const START_KEYS = {
  plan_name: 'string',
  params: 'object',
  description: 'string',
  sensitive: 'strings',
  userdata: 'object',
  environment: 'string',
} as const;

const RUN_KEYS = {
  plan_name: 'string',
  params: 'object',
  environment: 'string',
  description: 'string',
  userdata: 'object',
  timeout: 'integer',
} as const;

/** The way in which a plan comes to be run. */
interface PlanOrigin {
  /** Whether parameters have the form of `command/environment_plan_run`. */
  readonly isTyped?: boolean;
  /** Parameters that are secrets beside those of the plan. */
  readonly sensitive?: readonly string[];
  readonly scheduledJob?: number;
}

interface PlanServiceParts {
  readonly jobs: JobService;
  readonly keepMs: number;
  /** The plans of deployed environments. */
  readonly library: Pick<DeployedPlans, 'find'>;
  /** Absent: no plan can be run here. */
  readonly runner?: PlanRunner;
}

type PlanEvent = Pick<LedgerEvent, 'type' | 'details' | 'message'>;

/**
 * Plan jobs: of plans that run here, and what Bolt says about the plans that it runs itself. All
 * methods reject with OrchestratorError.
 */
export class PlanService {
  readonly #stores: Pick<Stores, 'jobs' | 'blobs' | 'clock'>;
  readonly #jobs: JobService;
  readonly #keepMs: number;
  readonly #library: PlanServiceParts['library'];
  #runner: PlanRunner | null;

  constructor(stores: Pick<Stores, 'jobs' | 'blobs' | 'clock'>, parts: PlanServiceParts) {
    this.#stores = stores;
    this.#jobs = parts.jobs;
    this.#keepMs = parts.keepMs;
    this.#library = parts.library;
    this.#runner = parts.runner ?? null;
  }

  /** Has plans run by `runner` from now on. */
  connect(runner: PlanRunner): void {
    this.#runner = runner;
  }

  /** `command/plan_start`: returns the number of the plan job. */
  async start(owner: Subject, given: JsonObject): Promise<number> {
    const body = checkBody(given, START_KEYS, ['plan_name', 'params']);
    return this.#create(owner, body, stringsOf(body, 'sensitive'), {});
  }

  async #create(
    owner: Subject,
    body: JsonObject,
    sensitive: readonly string[],
    origin: Pick<PlanRecord, 'isOurs' | 'scheduledJob'>,
  ): Promise<number> {
    const planName = textOf(body, 'plan_name');
    const { jobs, blobs, clock } = this.#stores;
    const number = await jobs.takeNumbers('ledgers', 1);
    const shown = Object.entries(objectOf(body, 'params')).filter(([name]) => !sensitive.includes(name));
    const now = clock.now();
    const record: PlanRecord = {
      state: 'running',
      planName,
      description: textOf(body, 'description'),
      owner: describeOwner(owner),
      createdAt: now,
      finishedAt: null,
      parameters: await keepValue(blobs, `jobs/${number}/parameters`, Object.fromEntries(shown), MOST_IN_HEAD_BYTES),
      sensitive,
      result: null,
      userdata: objectOf(body, 'userdata'),
      environment: typeof body.environment === 'string' ? body.environment : null,
      jobs: [],
      ...origin,
    };
    await jobs.create('plan', number, record, { isOpen: origin.isOurs === true, expiresAt: now + this.#keepMs });
    const event = { type: 'plan_start', details: { plan: planName }, message: `Plan ${planName} started` };
    await this.#change(number, (body) => ({ body, events: [event] }));
    return number;
  }

  /**
   * `command/plan_run` and `command/environment_plan_run`, or a scheduled job: runs a plan here.
   * Returns the number of the plan job.
   */
  async run(requester: Requester, given: JsonObject, origin: PlanOrigin = {}): Promise<number> {
    const { isTyped = false, sensitive: named = [], scheduledJob } = origin;
    const body = checkBody(given, RUN_KEYS, ['plan_name']);
    const plan = textOf(body, 'plan_name');
    const environment = textOf(body, 'environment', 'production');
    const metadata = await this.#findPlan(plan, environment);
    await this.#jobs.rights.demandPlan(requester, plan);
    if (this.#runner === null) throw createUnavailableError(plan);
    this.#runner.demandRoom(plan, requester);
    const timeout = readPositive(body, 'timeout');
    const asked = objectOf(body, 'params');
    const params = isTyped ? await this.#resolveParams(requester, asked, environment) : asked;
    const secret = Object.entries(metadata.parameters).flatMap(([name, one]) => (one.sensitive ? [name] : []));
    const sensitive = [...new Set([...secret, ...named])].filter((name) => params[name] !== undefined);
    const number = await this.#create(requester, { ...body, params, environment }, sensitive, {
      isOurs: true,
      ...(scheduledJob === undefined ? {} : { scheduledJob }),
    });
    const timeoutMs = timeout === null ? null : timeout * 1000;
    await this.#runner.begin(number, { plan, params, environment, noop: false, requester, sensitive, timeoutMs });
    return number;
  }

  /** The given parameters of a plan that are secrets. Rejects unless the plan could be run. */
  async listSecrets(plan: string, environment: string, { params }: JsonObject): Promise<readonly string[]> {
    const { parameters } = await this.#findPlan(plan, environment);
    if (this.#runner === null) throw createUnavailableError(plan);
    const given = isJsonObject(params) ? params : {};
    return Object.entries(parameters).flatMap(([name, one]) => (one.sensitive && name in given ? [name] : []));
  }

  async #findPlan(plan: string, environment: string): Promise<PlanMetadata> {
    await this.#jobs.requireEnvironment(environment);
    const metadata = await this.#library.find(environment, plan);
    if (metadata === null) throw unknownPlanError(plan);
    return metadata;
  }

  /** The values of parameters of `command/environment_plan_run`; queries become lists of nodes. */
  async #resolveParams(requester: Requester, params: JsonObject, environment: string): Promise<JsonObject> {
    const resolved = Object.entries(params).map(async ([name, given]) => {
      if (!isJsonObject(given))
        throw invalidRequest(`params.${name} must be an object with a value`, { [name]: given });
      const { value = null, type = null } = checkBody(given, { value: 'any', type: 'string' }, []);
      if (type === null) return [name, value] as const;
      if (type !== 'query' && type !== 'node_group') {
        throw invalidRequest(`params.${name}.type must be 'query' or 'node_group'`, { type });
      }
      return [name, await this.#jobs.find(requester, readScope({ [type]: value }), environment)] as const;
    });
    return Object.fromEntries(await Promise.all(resolved));
  }

  /** Adds events, and numbers of jobs, to a plan job that runs here. */
  async append(number: number, events: readonly PlanEvent[], jobs: readonly number[]): Promise<void> {
    await this.#change(number, (record) => ({ body: { ...record, jobs: [...record.jobs, ...jobs] }, events }));
  }

  /** Ends a plan job that runs here; one that has ended stays as it is. */
  async conclude(number: number, { status, result }: PlanConclusion): Promise<void> {
    const ledger = await this.#stores.jobs.get('plan', number);
    if (ledger === null || ledger.body.state !== 'running') return this.#closeLedger(ledger);
    const whole = await this.#addJobs(ledger.body, result);
    const kept = await keepValue(this.#stores.blobs, `jobs/${number}/result`, whole, MOST_IN_HEAD_BYTES);
    await this.#end(number, { state: status, result: kept });
  }

  /** The error of a plan that a server left says which jobs it had begun. */
  async #addJobs({ jobs }: PlanRecord, result: unknown): Promise<unknown> {
    if (!isJsonObject(result) || result.kind !== 'puppetlabs.orchestrator/plan-ended') return result;
    const done = jobs.map(async (job) => {
      const ledger = await this.#stores.jobs.get('job', job);
      return { job: String(job), state: ledger?.body.stays.at(-1)?.state ?? null };
    });
    return { ...result, details: { jobs: await Promise.all(done) } };
  }

  async #closeLedger(ledger: Ledger<PlanRecord> | null): Promise<void> {
    if (ledger === null) return;
    const { number, version, body } = ledger;
    await this.#stores.jobs.commit('plan', number, version, { body, isOpen: false }, `close ${version}`);
  }

  /** `command/plan_task`: returns the number of the job. */
  async runTask(owner: Subject, body: JsonObject): Promise<number> {
    const plan = await this.#find(body.plan_job);
    await this.#demandOwn(owner, plan.body);
    demandOfBolt(plan);
    if (plan.body.state !== 'running') throw createFinishedError(plan.number);
    const job = await this.#jobs.runTask(owner, body, { planJob: plan.number });
    const task = textOf(body, 'task');
    const type = TYPES_OF_TASKS[task] ?? 'task_start';
    const event = { type, details: { 'job-id': String(job), task }, message: `Job ${job} started: ${task}` };
    await this.#change(plan.number, (record) => ({
      body: { ...record, jobs: [...record.jobs, job] },
      events: [event],
    }));
    return job;
  }

  /** `command/plan_finish`. */
  async finish(subject: Subject, given: JsonObject): Promise<void> {
    const body = checkBody(given, { plan_job: 'any', result: 'any', status: 'string' }, ['plan_job', 'status']);
    const { status } = body;
    if (status !== 'success' && status !== 'failure') {
      throw invalidRequest("status must be 'success' or 'failure'", { status });
    }
    const plan = await this.#find(body.plan_job);
    const { number, body: record } = plan;
    await this.#demandOwn(subject, record);
    demandOfBolt(plan);
    const result = await keepValue(
      this.#stores.blobs,
      `jobs/${number}/result`,
      body.result ?? null,
      MOST_IN_HEAD_BYTES,
    );
    await this.#end(number, { state: status, result });
  }

  /** `command/stop_plan`: no further task of it begins. Returns its number. */
  async stop(subject: Subject, given: JsonObject): Promise<number> {
    const body = checkBody(given, { plan_job: 'any' }, ['plan_job']);
    const { number, body: record } = await this.#find(body.plan_job);
    await this.#demandOwn(subject, record);
    if (record.state !== 'running') return number;
    for (const job of record.jobs) await this.#jobs.stopAny(job, 'soft');
    const error = { kind: 'puppetlabs.orchestrator/plan-stopped', msg: 'The plan was stopped', details: {} };
    await this.#end(number, { state: 'failure', result: { value: error } });
    this.#runner?.drop(number);
    // A job that began meanwhile.
    const ended = await this.#stores.jobs.get('plan', number);
    for (const job of ended?.body.jobs ?? []) if (!record.jobs.includes(job)) await this.#jobs.stopAny(job, 'soft');
    return number;
  }

  /** Rejects unless the plan job is the user's own, or the user may run its plan. */
  async #demandOwn(subject: Subject, { owner, planName }: PlanRecord): Promise<void> {
    if (subject.id !== owner.id) await this.#jobs.rights.demandPlan(subject, planName);
  }

  async #end(number: number, change: Pick<PlanRecord, 'state' | 'result'>): Promise<void> {
    const isDone = change.state === 'success';
    await this.#change(number, (record) => {
      if (record.state !== 'running') throw createFinishedError(number);
      const event: PlanEvent = {
        type: isDone ? 'plan_finished' : 'plan_failed',
        details: { plan: record.planName },
        message: `Plan ${record.planName} ${isDone ? 'finished' : 'failed'}`,
      };
      return { body: { ...record, ...change, finishedAt: this.#stores.clock.now() }, events: [event], isOpen: false };
    });
  }

  /** Makes the next version of a plan job; a writer that lost a race tries again. */
  async #change(
    number: number,
    make: (record: PlanRecord) => {
      readonly body: PlanRecord;
      readonly events: readonly PlanEvent[];
      readonly isOpen?: boolean;
    },
  ): Promise<void> {
    const { jobs, clock } = this.#stores;
    for (let race = 0; race < MOST_RACES; race += 1) {
      const plan = await jobs.get('plan', number);
      if (plan === null) throw unknownJobError(number);
      const { body, events: made, ...rest } = make(plan.body);
      // Taken after the version was read: of two writers, the later one has the greater ids.
      const first = await jobs.takeNumbers('events', made.length);
      const events = made.map((event, index) => ({ ...event, id: first + index, at: clock.now() }));
      if (await jobs.commit('plan', number, plan.version, { body, events, ...rest }, `event ${first}`)) return;
    }
    throw new Error(`invariant: plan job ${number} was changed ${MOST_RACES} times in a row by others`);
  }

  async #find(name: unknown): Promise<Ledger<PlanRecord>> {
    const isNumber = (typeof name === 'string' && /^\d+$/.test(name)) || Number.isSafeInteger(name);
    if (!isNumber) throw invalidRequest('plan_job must be the name of a plan job', { plan_job: name ?? null });
    const found = await this.#stores.jobs.get('plan', Number(name));
    if (found === null) throw unknownJobError(String(name));
    return found;
  }
}

const TYPES_OF_TASKS: Readonly<Record<string, string>> = {
  'bolt_shim::command': 'command_start',
  'bolt_shim::script': 'script_start',
  'bolt_shim::upload': 'upload_start',
  'apply_helpers::apply_catalog': 'apply_start',
  'apply_helpers::custom_facts': 'apply_prep_start',
};

/** Throws for a plan job that the server runs itself. */
function demandOfBolt({ number, body }: Ledger<PlanRecord>): void {
  if (body.isOurs !== true) return;
  throw invalidRequest(`Plan job ${number} is run by the server: nobody else adds to it`, { plan_job: String(number) });
}

/** Makes the error for plans of a server that evaluates none. */
export function createUnavailableError(plan: string): OrchestratorError {
  const message = `The plan ${plan} cannot be run: this server evaluates no plans. Bolt can run it`;
  return new OrchestratorError('not-available', message, { plan });
}

/** Makes the error for a name that no plan of an environment has. */
export function unknownPlanError(name: string): OrchestratorError {
  return new OrchestratorError('unknown-plan', `Unknown plan ${name}`);
}

function createFinishedError(number: number): OrchestratorError {
  const details = { plan_job: String(number) };
  return new OrchestratorError('plan-already-finished', `Plan job ${number} has finished already`, details);
}
