import type { Clock } from '../../store/ports/clock.ts';
import type { JobStore } from '../../store/ports/job-store.ts';
import { FairQueue } from '../../util/fair-queue.ts';
import { OrchestratorError } from '../jobs/orchestrator-error.ts';
import type { Requester } from '../jobs/permissions.ts';
import type { PlanRequest, PlanRunner } from '../jobs/plan-runner.ts';
import { createUnavailableError, type PlanService } from '../jobs/plan-service.ts';
import type { PlanEnd } from '../plan-language/evaluate-plan.ts';
import type { PlanEffect } from '../plan-language/plan-effects.ts';
import type { ActingPlan, JobKind, PlanActions } from './plan-actions.ts';
import { PlanJournal } from './plan-journal.ts';
import type { PlanThread, StartPlanThread } from './plan-thread.ts';
import { SecretMask } from './secret-mask.ts';

interface PlanEngineLimits {
  /** Plans that run at a time in this process, and those of one user; the others wait in turn. */
  readonly plans: number;
  readonly plansOfUser: number;
  /** Plans that run or wait, and those of one user. */
  readonly open: number;
  readonly openOfUser: number;
  /** Time of a plan without one of its own. */
  readonly timeoutMs: number;
  /** Effects that a plan may run, and those at a time. */
  readonly effects: number;
  readonly effectsAtOnce: number;
  readonly events: number;
  readonly messageBytes: number;
  readonly resultBytes: number;
}

const PLAN_LIMITS: PlanEngineLimits = {
  plans: 4,
  plansOfUser: 3,
  open: 104,
  openOfUser: 52,
  timeoutMs: 24 * 3600_000,
  effects: 10_000,
  effectsAtOnce: 100,
  events: 10_000,
  messageBytes: 64 * 1024,
  resultBytes: 8 * 1024 * 1024,
};

interface PlanEngineParts {
  readonly stores: { readonly jobs: JobStore; readonly clock: Clock };
  readonly plans: Pick<PlanService, 'append' | 'conclude'>;
  readonly actions: PlanActions;
  /** Null: this server evaluates no plans. */
  readonly startThread: StartPlanThread | null;
  readonly leaseMs?: number;
  readonly limits?: PlanEngineLimits;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** A plan of this process. */
interface ActivePlan {
  readonly number: number;
  readonly request: PlanRequest;
  readonly mask: SecretMask;
  readonly journal: PlanJournal;
  readonly stopping: AbortController;
  /** Null while it waits for others. */
  thread: PlanThread | null;
  endsAt: number;
  effects: number;
  atOnce: number;
  readonly waiting: (() => void)[];
}

const LEASE_MS = 60_000;
const TICK_MS = 1000;
const SWEEP_MS = 10_000;

/**
 * Runs plans. A plan lives in one process: when that one ends, another one ends the plan as failed.
 * Its jobs are jobs like others, which go on.
 */
export class PlanEngine implements PlanRunner {
  readonly #parts: PlanEngineParts;
  readonly #limits: PlanEngineLimits;
  readonly #owner: string;
  readonly #active = new Map<number, ActivePlan>();
  readonly #places: FairQueue;
  #renewAt = 0;
  #sweepAt = 0;
  /** Open plans of all processes at the last sweep. */
  #seen: ReadonlySet<number> = new Set();
  #isStopping = false;

  constructor(parts: PlanEngineParts) {
    const { clock } = parts.stores;
    this.#parts = parts;
    this.#limits = parts.limits ?? PLAN_LIMITS;
    this.#places = new FairQueue({ places: this.#limits.plans, mostOfClient: this.#limits.plansOfUser });
    this.#owner = `plans-${clock.now()}-${Math.floor(clock.random() * 2 ** 32).toString(16)}`;
  }

  /** Rejects with OrchestratorError when no further plan can be run here. */
  demandRoom(plan: string, { login }: Pick<Requester, 'login'>): void {
    if (this.#parts.startThread === null) throw createUnavailableError(plan);
    const { open, openOfUser } = this.#limits;
    const own = [...this.#active.values()].filter(({ request }) => request.requester.login === login).length;
    if (this.#isStopping || this.#active.size >= open || own >= openOfUser) {
      const whose = own >= openOfUser ? 'too many of your plans' : 'too many plans';
      throw new OrchestratorError('too-many-plans', `The plan ${plan} cannot be run now: ${whose} run or wait`);
    }
  }

  /** Runs a plan whose plan job was made as open. */
  async begin(number: number, request: PlanRequest): Promise<void> {
    const { clock } = this.#parts.stores;
    // It was stopped already.
    if (!(await this.#renew(number))) return;
    const secrets = request.sensitive.map((name) => request.params[name]);
    const mask = new SecretMask(secrets);
    const journal = new PlanJournal({
      sink: { append: (events, jobs) => this.#parts.plans.append(number, events, jobs) },
      mask,
      plan: request.plan,
      mostEvents: this.#limits.events,
      mostMessageBytes: this.#limits.messageBytes,
    });
    const plan: ActivePlan = {
      ...{ number, request, mask, journal, stopping: new AbortController() },
      ...{ thread: null, effects: 0, atOnce: 0, waiting: [] },
      endsAt: clock.now() + (request.timeoutMs ?? this.#limits.timeoutMs),
    };
    this.#active.set(number, plan);
    void this.#startInTurn(plan);
  }

  /** Ends a plan of this process that was stopped. */
  drop(number: number): void {
    const plan = this.#active.get(number);
    if (plan !== undefined) this.#close(plan);
  }

  /** Numbers of plans of this process. */
  get active(): readonly number[] {
    return [...this.#active.keys()];
  }

  /** Does what is due by the time: renews leases, ends plans that take too long, and lost ones. */
  async tick(): Promise<void> {
    const now = this.#parts.stores.clock.now();
    for (const plan of [...this.#active.values()]) {
      if (now >= plan.endsAt) await this.#end(plan, failure('plan-timeout', 'The plan took too long, and was ended'));
    }
    if (now >= this.#renewAt) {
      this.#renewAt = now + this.#leaseMs / 4;
      for (const plan of [...this.#active.values()]) {
        if (!(await this.#renew(plan.number))) this.#close(plan);
      }
    }
    if (now >= this.#sweepAt) {
      this.#sweepAt = now + SWEEP_MS;
      await this.#sweep(now);
    }
  }

  /** Works until `signal` aborts; then ends the plans that still run. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores, reportFailure } = this.#parts;
    while (!signal.aborted) {
      await this.tick().catch((error: unknown) => reportFailure('Plans could not be looked after', error));
      await stores.clock.sleep(TICK_MS, signal);
    }
    this.#isStopping = true;
    const end = failure('plan-ended', 'The server was stopped, and the plan with it');
    await Promise.all([...this.#active.values()].map((plan) => this.#end(plan, end)));
  }

  get #leaseMs(): number {
    return this.#parts.leaseMs ?? LEASE_MS;
  }

  /** Takes the lease of a plan; false when it is over, or another process has it. */
  async #renew(number: number): Promise<boolean> {
    const { jobs, clock } = this.#parts.stores;
    const now = clock.now();
    const ledger = await jobs.claim('plan', number, { owner: this.#owner, until: now + this.#leaseMs }, now);
    return ledger !== null && ledger.body.state === 'running';
  }

  /** Ends plans whose process is gone. A new plan has time to get the lease of its process. */
  async #sweep(now: number): Promise<void> {
    const { jobs } = this.#parts.stores;
    const known = this.#seen;
    this.#seen = new Set(await jobs.listOpen('plan'));
    for (const number of this.#seen) {
      if (this.#active.has(number) || !known.has(number)) continue;
      const lease = { owner: this.#owner, until: now + this.#leaseMs };
      const ledger = await jobs.claim('plan', number, lease, now);
      if (ledger === null) continue;
      const end = failure('plan-ended', 'The server that ran the plan ended before the plan did');
      await this.#conclude(number, end);
    }
  }

  /** Starts a plan when it is its user's turn; one that was closed gives its place to the next. */
  async #startInTurn(plan: ActivePlan): Promise<void> {
    const leave = await this.#places.enter(plan.request.requester.login);
    const { startThread } = this.#parts;
    if (startThread === null || plan.stopping.signal.aborted) {
      leave();
      return;
    }
    plan.stopping.signal.addEventListener('abort', leave);
    plan.thread = startThread(plan.request, {
      begin: (id, effect) => void this.#perform(plan, id, effect),
      note: (note) => plan.journal.note(note),
      end: (end) => void this.#end(plan, end),
      fail: (reason) => void this.#end(plan, failure('plan-ended', reason)),
    });
  }

  async #perform(plan: ActivePlan, id: number, effect: PlanEffect): Promise<void> {
    const { signal } = plan.stopping;
    plan.effects += 1;
    const { effects, effectsAtOnce } = this.#limits;
    if (plan.effects > effects) {
      const fault = { kind: 'bolt/limit', msg: `A plan may run ${effects} actions`, details: {} };
      plan.thread?.answer(id, { kind: 'fault', fault });
      return;
    }
    while (plan.atOnce >= effectsAtOnce && !signal.aborted) {
      await new Promise<void>((resolve) => plan.waiting.push(resolve));
    }
    if (signal.aborted) return;
    plan.atOnce += 1;
    try {
      const outcome = await this.#parts.actions.perform(this.#acting(plan), effect, signal);
      if (!signal.aborted) plan.thread?.answer(id, outcome);
    } catch (error) {
      this.#parts.reportFailure(`An action of plan job ${plan.number} could not be run`, error);
      const msg = 'The action could not be run: the log of the server says why';
      plan.thread?.answer(id, { kind: 'fault', fault: { kind: 'bolt/server-error', msg, details: {} } });
    } finally {
      plan.atOnce -= 1;
      plan.waiting.shift()?.();
    }
  }

  #acting({ number, request, mask, journal }: ActivePlan): ActingPlan {
    const { requester, environment } = request;
    const noteJob = (job: number, { event }: JobKind, description: string) => {
      const details = job === 0 ? { description } : { 'job-id': String(job), description };
      const message = job === 0 ? description : `Job ${job} started: ${description}`;
      return journal.noteJob({ type: event, details, message }, job === 0 ? null : job);
    };
    return { number, requester, environment, mask, noteJob };
  }

  async #end(plan: ActivePlan, end: PlanEnd): Promise<void> {
    if (this.#active.get(plan.number) !== plan) return;
    this.#close(plan);
    const { journal, number, mask } = plan;
    try {
      await journal.settle();
      const result = mask.json(end.result);
      const isTooLarge = Buffer.byteLength(JSON.stringify(result ?? null)) > this.#limits.resultBytes;
      const message = `The result of the plan has more than ${this.#limits.resultBytes} bytes`;
      await this.#conclude(number, isTooLarge ? failure('plan-result', message) : { status: end.status, result });
    } catch (error) {
      this.#parts.reportFailure(`The end of plan job ${number} could not be stored`, error);
    }
  }

  async #conclude(number: number, end: PlanEnd): Promise<void> {
    await this.#parts.plans.conclude(number, end);
  }

  #close(plan: ActivePlan): void {
    this.#active.delete(plan.number);
    plan.stopping.abort();
    for (const wake of plan.waiting.splice(0)) wake();
    plan.thread?.terminate();
  }
}

function failure(kind: string, msg: string): PlanEnd {
  return { status: 'failure', result: { kind: `puppetlabs.orchestrator/${kind}`, msg, details: {} } };
}
