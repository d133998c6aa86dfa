import type { Subject } from '../../access/accounts/access-control.ts';
import type { LedgerEvent, PlanRecord } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { describeOwner, type JobService, unknownJobError } from './job-service.ts';
import { keepValue } from './kept-values.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { Requester } from './permissions.ts';
import { checkBody, invalidRequest, type JsonObject, objectOf, stringsOf, textOf } from './request-body.ts';

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

type PlanEvent = Pick<LedgerEvent, 'type' | 'details' | 'message'>;

/**
 * Plan jobs: what Bolt says about the plans that it runs itself. All methods reject with
 * OrchestratorError.
 */
export class PlanService {
  readonly #stores: Pick<Stores, 'jobs' | 'blobs' | 'clock'>;
  readonly #jobs: JobService;
  readonly #keepMs: number;

  constructor(
    stores: Pick<Stores, 'jobs' | 'blobs' | 'clock'>,
    parts: { readonly jobs: JobService; readonly keepMs: number },
  ) {
    this.#stores = stores;
    this.#jobs = parts.jobs;
    this.#keepMs = parts.keepMs;
  }

  /** `command/plan_start`: returns the number of the plan job. */
  async start(owner: Subject, given: JsonObject): Promise<number> {
    const body = checkBody(given, START_KEYS, ['plan_name', 'params']);
    const planName = textOf(body, 'plan_name');
    const { jobs, blobs, clock } = this.#stores;
    const number = await jobs.takeNumbers('ledgers', 1);
    const sensitive = stringsOf(body, 'sensitive');
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
    };
    await jobs.create('plan', number, record, { isOpen: false, expiresAt: now + this.#keepMs });
    const event = { type: 'plan_start', details: { plan: planName }, message: `Plan ${planName} started` };
    await this.#change(number, (body) => ({ body, events: [event] }));
    return number;
  }

  /** `command/plan_run`: rejects, since nothing here can run a plan. */
  async run(subject: Requester, plan: string): Promise<never> {
    await this.#jobs.rights.demandPlan(subject, plan);
    const message = `The plan ${plan} cannot be run: this server has no evaluator of plans yet. Bolt can run it`;
    throw new OrchestratorError('not-available', message, { plan });
  }

  /** `command/plan_task`: returns the number of the job. */
  async runTask(owner: Subject, body: JsonObject): Promise<number> {
    const plan = await this.#find(body.plan_job);
    await this.#demandOwn(owner, plan.body);
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
    const { number, body: record } = await this.#find(body.plan_job);
    await this.#demandOwn(subject, record);
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
      return { body: { ...record, ...change, finishedAt: this.#stores.clock.now() }, events: [event] };
    });
  }

  /** Makes the next version of a plan job; a writer that lost a race tries again. */
  async #change(
    number: number,
    make: (record: PlanRecord) => { readonly body: PlanRecord; readonly events: readonly PlanEvent[] },
  ): Promise<void> {
    const { jobs, clock } = this.#stores;
    for (let race = 0; race < MOST_RACES; race += 1) {
      const plan = await jobs.get('plan', number);
      if (plan === null) throw unknownJobError(number);
      const { body, events: made } = make(plan.body);
      // Taken after the version was read: of two writers, the later one has the greater ids.
      const first = await jobs.takeNumbers('events', made.length);
      const events = made.map((event, index) => ({ ...event, id: first + index, at: clock.now() }));
      if (await jobs.commit('plan', number, plan.version, { body, events }, `event ${first}`)) return;
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

/** Makes the error for a name that no plan of an environment has. */
export function unknownPlanError(name: string): OrchestratorError {
  return new OrchestratorError('unknown-plan', `Unknown plan ${name}`);
}

function createFinishedError(number: number): OrchestratorError {
  const details = { plan_job: String(number) };
  return new OrchestratorError('plan-already-finished', `Plan job ${number} has finished already`, details);
}
