import type { Subject } from '../../shared/access/accounts/access-control.ts';
import { JobEngine } from '../../shared/orchestrator/jobs/job-engine.ts';
import type { JobService } from '../../shared/orchestrator/jobs/job-service.ts';
import { DEFAULT_PACING } from '../../shared/orchestrator/jobs/pacing.ts';
import { Permissions } from '../../shared/orchestrator/jobs/permissions.ts';
import type { PlanService } from '../../shared/orchestrator/jobs/plan-service.ts';
import { readScheduleRequest } from '../../shared/orchestrator/jobs/schedule-request.ts';
import { ScheduleService } from '../../shared/orchestrator/jobs/schedule-service.ts';
import type { StartGate } from '../../shared/orchestrator/jobs/start-gate.ts';
import type { PxpAnswer, PxpGateway, PxpRequest } from '../../shared/orchestrator/pxp/pxp-gateway.ts';
import { readTaskOutput } from '../../shared/orchestrator/tasks/task-result.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import type { StopRequest } from '../../shared/store/ports/job-store.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { ADMIN_GRANTS, FixedAccess } from '../helpers/fixed-access.ts';
import { makeJobRecord, SimulatedAgent, TASK_ORDER, TEST_VAULT } from '../helpers/orchestration.ts';
import type { CompileSite, SiteStores } from './compile-site.ts';
import { JobModel } from './job-model.ts';
import type { TakenStep } from './scheduler.ts';
import { type RunOptions, SiteRun } from './site-run.ts';

const SECOND = 1000;
/** Shorter than in the product, and in the same order, so that a run needs fewer seconds. */
const LEASE_MS = 6 * SECOND;
const SWEEP_MS = 3 * SECOND;
/** An agent that never answers again is given up after 7 minutes. */
const RECOVERY_SECONDS = 10 * 60;

const ACCESS = new FixedAccess({ admin: ADMIN_GRANTS });

async function findAdministrator(): Promise<Subject> {
  const found = await ACCESS.authenticate('admin');
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** What is on its way to an engine. */
interface Answer {
  readonly to: string;
  readonly answer: PxpAnswer;
  readonly at: number;
}

/** What runs jobs in a process. */
export interface SimulatedServer {
  readonly engine: JobEngine;
  run(signal: AbortSignal): Promise<void>;
  /** Does what is due by the time. */
  tick(): Promise<void>;
  /** Whether nothing is left to do. */
  isIdle(): Promise<boolean>;
}

/** One run of engines, agents, stops and schedules; a model knows what must come of it. */
export class JobRun extends SiteRun {
  readonly model = new JobModel();
  readonly #agents = new Map<string, SimulatedAgent>();
  readonly #receivers = new Map<string, (answer: PxpAnswer) => void>();
  /** How often each task of a name began, so that equal schedules give equal names. */
  readonly #tasks = new Map<string, number>();
  /** Answers of the recovery, which the scheduler does not own. */
  #underWay: Answer[] | null = null;

  constructor(site: CompileSite, options: RunOptions = {}) {
    super(site, options);
  }

  protected override observe(taken: TakenStep): void {
    this.model.observe(taken, this.scheduler.now());
  }

  /** An agent that is connected. */
  agent(certname: string, behaviour: SimulatedAgent['behaviour'] = {}): void {
    const agent = new SimulatedAgent();
    agent.behaviour = behaviour;
    this.#agents.set(certname, agent);
    if (behaviour.refusal === undefined) this.model.noteWilling(certname);
  }

  /** A job that was accepted before the run; returns its number. */
  async create(names: readonly string[], concurrency: number | null = null): Promise<number> {
    return this.#createJob(this.watchStores(), names, concurrency);
  }

  /** A scheduled job of one node; returns its number. */
  async createSchedule(name: string, startMs: number, intervalSeconds: number | null): Promise<number> {
    const service = this.#openSchedules(this.stores, [name]);
    const interval = intervalSeconds === null ? null : { value: intervalSeconds, units: 'seconds' };
    const start = new Date(this.scheduler.now() + startMs).toISOString();
    const body = { type: 'deploy', environment: '', input: { scope: { nodes: [name] }, enforce_environment: false } };
    const request = { ...body, schedule: { start_time: start, interval } };
    return service.create(await findAdministrator(), readScheduleRequest(request, this.scheduler.now()));
  }

  /** A server that ends in order after some seconds. */
  engine(process: string, seconds: number): void {
    const stores = this.storesOf(process);
    const server = this.openServer(process, stores);
    const ending = new AbortController();
    this.scheduler.start(process, async () => {
      const running = server.run(ending.signal);
      await stores.clock.sleep(seconds * SECOND);
      ending.abort();
      await running;
    });
  }

  /** A request to stop a job. */
  stop(process: string, number: number, kind: StopRequest): void {
    const engine = this.openEngine(process, this.storesOf(process));
    this.scheduler.start(process, () => orDown(engine.stop(number, kind)));
  }

  /** A process that runs scheduled jobs for some seconds. */
  schedules(process: string, name: string, seconds: number): void {
    const stores = this.storesOf(process);
    const service = this.#openSchedules(stores, [name]);
    const ending = new AbortController();
    this.scheduler.start(process, async () => {
      const running = service.run(ending.signal);
      await stores.clock.sleep(seconds * SECOND);
      ending.abort();
      await running;
    });
  }

  /** A request to disable a scheduled job. */
  disable(process: string, number: number): void {
    const service = this.#openSchedules(this.storesOf(process), []);
    this.scheduler.start(process, async () => {
      // Another writer was faster: the user is asked to try again.
      const isDone = await service.update(await findAdministrator(), number, { enabled: false }).then(
        () => true,
        () => false,
      );
      if (isDone) this.model.noteDisabled(number);
    });
  }

  /** A new server goes on with what the others left. */
  async finish(): Promise<void> {
    this.model.checkEnd();
    const { stores, scheduler } = this;
    const { now } = scheduler;
    scheduler.stepClock(this.setBackMs + LEASE_MS);
    const clock: Clock = { now: now.bind(scheduler), random: () => 0.25, sleep: async () => undefined };
    this.#underWay = [];
    const server = this.openServer('a new server', { ...this.watchStores(), clock });
    for (let second = 0; second < RECOVERY_SECONDS; second += 1) {
      await server.tick();
      await this.#settle(server.engine);
      if (await server.isIdle()) break;
      scheduler.stepClock(SECOND);
    }
    await this.model.checkRest(stores.jobs);
  }

  async #settle(engine: JobEngine): Promise<void> {
    for (;;) {
      await engine.settle();
      const due = (this.#underWay ?? []).filter(({ at }) => at <= this.scheduler.now());
      if (due.length === 0) return;
      this.#underWay = (this.#underWay ?? []).filter((one) => !due.includes(one));
      for (const { to, answer } of due) this.#receivers.get(to)?.(answer);
    }
  }

  /** The stores; what is written is noted by the model, and is no step. */
  protected watchStores(): SiteStores {
    const watch = <Port extends 'jobs' | 'blobs' | 'nodes'>(port: Port): SiteStores[Port] =>
      new Proxy(this.stores[port] as object, {
        get: (store, name) => {
          const method: unknown = Reflect.get(store, name, store);
          if (typeof method !== 'function') return method;
          return async (...args: readonly unknown[]) => {
            const result: unknown = await method.apply(store, args);
            this.observeCall(`${port}.${String(name)}`, args, result);
            return result;
          };
        },
      }) as SiteStores[Port];
    return { ...this.stores, jobs: watch('jobs'), blobs: watch('blobs'), nodes: watch('nodes') };
  }

  protected observeCall(call: string, args: readonly unknown[], result: unknown): void {
    this.model.observeCall(call, args, result, this.scheduler.now());
  }

  protected openServer(process: string, stores: SiteStores): SimulatedServer {
    const engine = this.openEngine(process, stores);
    const isIdle = async () => (await stores.jobs.listOpen('job')).length === 0;
    return { engine, isIdle, run: (signal) => engine.run(signal), tick: () => engine.tick() };
  }

  protected openEngine(process: string, { jobs, blobs, clock }: SiteStores, gate?: StartGate): JobEngine {
    return new JobEngine({
      jobs,
      blobs,
      clock,
      gateway: this.openGateway(process),
      tasks: { readResult: readTaskOutput },
      reports: { find: async () => null },
      currency: { isCurrent: async () => false },
      vault: TEST_VAULT,
      limits: DEFAULT_PACING,
      startDelayMs: 0,
      leaseMs: LEASE_MS,
      ...(gate && { gate }),
      sweepMs: SWEEP_MS,
      reportProgress: (progress) => this.model.noteProgress(progress),
      reportFailure: (_, cause) => this.model.noteFailure(cause),
    });
  }

  protected openGateway(process: string): PxpGateway {
    const deliver = async (certname: string, request: PxpRequest) => this.#take(process, certname, request);
    const network =
      this.#underWay === null ? this.scheduler.wrap(process, 'network', { request: deliver }) : { request: deliver };
    return {
      broker: 'pcp://understudy.example.com/server',
      listen: (receive) => this.#receivers.set(process, receive),
      request: (certname, request) => network.request(certname, request),
      onConnect: () => undefined,
      listConnected: async () => [...this.#agents.keys()].map((certname) => ({ certname, since: 0 })),
    };
  }

  /** An agent gets a request; what it answers is on its way to the process that asked. */
  #take(process: string, certname: string, request: PxpRequest): string | null {
    const agent = this.#agents.get(certname);
    if (agent === undefined) return 'Not connected.';
    const before = agent.runs;
    const answers = agent.take(certname, request, this.scheduler.now());
    if (agent.runs > before) this.model.noteRun(certname, request.transactionId);
    const { transactionId } = request;
    for (const { delayMs, content } of answers) {
      const answer = { certname, transactionId, content };
      if (this.#underWay === null) this.#send(process, answer, delayMs);
      else this.#underWay.push({ to: process, answer, at: this.scheduler.now() + delayMs });
    }
    return null;
  }

  #send(to: string, answer: PxpAnswer, delayMs: number): void {
    const name = `${answer.certname} to ${to}`;
    const count = this.#tasks.get(name) ?? 0;
    this.#tasks.set(name, count + 1);
    const task = `${name} ${count}`;
    const deliver = async () => this.#receivers.get(to)?.(answer);
    const network = this.scheduler.wrap(task, 'network', { deliver });
    const clock = this.scheduler.clockOf(task);
    this.scheduler.start(task, async () => {
      if (delayMs > 0) await clock.sleep(delayMs);
      await orDown(network.deliver());
    });
  }

  async #createJob(
    { jobs, blobs, clock }: Pick<SiteStores, 'jobs' | 'blobs' | 'clock'>,
    names: readonly string[],
    concurrency: number | null,
  ): Promise<number> {
    const targets = { names };
    const number = await jobs.takeNumbers('ledgers', 1);
    await blobs.put(`jobs/${number}/targets`, Buffer.from(JSON.stringify(targets)));
    const record = makeJobRecord(number, targets, TASK_ORDER, clock.now());
    await jobs.create('job', number, { ...record, concurrency }, { isOpen: true, expiresAt: null });
    return number;
  }

  #openSchedules(stores: SiteStores, names: readonly string[]): ScheduleService {
    const permit = async () => undefined;
    const deploy = () => this.#createJob(stores, names, null);
    return new ScheduleService({
      store: stores.jobs,
      blobs: stores.blobs,
      clock: stores.clock,
      permissions: new Permissions(ACCESS),
      jobs: { deploy, rights: { demandPuppet: permit, demandScope: permit } } as unknown as JobService,
      plans: {} as unknown as PlanService,
      vault: TEST_VAULT,
      reportFailure: (_, cause) => this.model.noteFailure(cause),
    });
  }
}

/** The work ends when its store is down. */
export async function orDown(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error;
  });
}
