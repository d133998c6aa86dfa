import type { JobRecord } from '../../store/ports/job-records.ts';
import type { Ledger, StopRequest } from '../../store/ports/job-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import type { PxpAnswer } from '../pxp/pxp-gateway.ts';
import type { ActiveJob } from './active-job.ts';
import { type JobContext, JobLost, type JobMessages } from './job-context.ts';
import { loadJob } from './load-job.ts';
import { Pacing, type PacingLimits } from './pacing.ts';
import { CLOSED_GATE, type StartGate } from './start-gate.ts';

export interface EngineOptions
  extends Pick<
    JobContext,
    'jobs' | 'blobs' | 'clock' | 'gateway' | 'tasks' | 'reports' | 'currency' | 'startDelayMs' | 'reportProgress'
  > {
  readonly vault: KeyVault;
  readonly limits: PacingLimits;
  /** Number of processes that share the limits; 1 by default. */
  readonly countProcesses?: () => number;
  /** Lease of jobs: when it ends, another process takes the job over; a minute by default. */
  readonly leaseMs?: number;
  /** Interval of looking for jobs whose process died; half a minute by default. */
  readonly sweepMs?: number;
  /** Absent: gated jobs wait. */
  readonly gate?: StartGate;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

const LEASE_MS = 60_000;
const TICK_MS = 1000;
const SWEEP_MS = 30_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

interface Retry {
  readonly at: number;
  readonly pauseMs: number;
}

interface Expected {
  readonly job: ActiveJob;
  readonly index: number;
  readonly isQuery: boolean;
}

/**
 * Runs all open jobs that no other process has. All state is in the store: a process that starts
 * goes on where another one ended.
 */
export class JobEngine implements JobMessages {
  readonly #options: EngineOptions;
  readonly #context: JobContext;
  readonly #active = new Map<number, ActiveJob>();
  readonly #expected = new Map<string, Expected>();
  /** Jobs that make steps now; true when another step was asked for meanwhile. */
  readonly #stepping = new Map<ActiveJob, boolean>();
  readonly #retries = new Map<number, Retry>();
  readonly #opening = new Set<number>();
  readonly #work = new Set<Promise<void>>();
  #sweepAt = 0;
  #isStopping = false;

  constructor(options: EngineOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.#context = {
      ...options,
      pacing: new Pacing(limits, options.countProcesses),
      gate: options.gate ?? CLOSED_GATE,
      messages: this,
      owner: `${clock.now()}-${Math.floor(clock.random() * 2 ** 32).toString(16)}`,
      leaseMs: options.leaseMs ?? LEASE_MS,
      wake: (job) => this.#wake(job),
    };
    options.gateway.listen((answer) => this.#take(answer));
  }

  /** The numbers of the jobs that this process runs. */
  get active(): readonly number[] {
    return [...this.#active.keys()];
  }

  /** Jobs that wait because a step of theirs failed. */
  get putOff(): number {
    return this.#retries.size;
  }

  /** The nodes on which Puppet runs for a job of this process. */
  findRunning(): ReadonlySet<string> {
    return new Set([...this.#active.values()].flatMap((job) => job.findPuppetRuns()));
  }

  /** Has a job of this process look at its gate again. */
  nudge(number: number): void {
    const job = this.#active.get(number);
    if (job !== undefined) this.#wake(job);
  }

  expect(transactionId: string, job: ActiveJob, index: number, isQuery: boolean): void {
    this.#expected.set(transactionId, { job, index, isQuery });
  }

  forget(transactionIds: readonly string[]): void {
    for (const id of transactionIds) this.#expected.delete(id);
  }

  /** Goes on with all open jobs, and begins the one that was just created. */
  async open(number: number): Promise<void> {
    if (this.#active.has(number) || this.#opening.has(number) || this.#isStopping) return;
    this.#opening.add(number);
    try {
      const job = await loadJob(number, this.#context, this.#options.vault);
      if (job === null) return;
      const isNew = job.image.state === 'new';
      this.#active.set(number, job);
      this.#wake(job);
      if (isNew) this.#wakeLater(job);
    } catch (error) {
      this.#retryLater(number, error);
    } finally {
      this.#opening.delete(number);
    }
  }

  /** Stops a job, here or where it runs. Null when there is no such job. */
  async stop(number: number, stop: StopRequest): Promise<Ledger<JobRecord> | null> {
    const { jobs } = this.#context;
    const ledger = await jobs.get('job', number);
    if (ledger === null || ledger.body.finishedAt !== null) return ledger;
    await jobs.requestStop(number, stop);
    this.#active.get(number)?.askToStop(stop);
    return ledger;
  }

  /** Does what is due by the time. */
  async tick(): Promise<void> {
    const now = this.#context.clock.now();
    for (const job of this.#active.values()) if (job.isDue(now)) this.#wake(job);
    const due = [...this.#retries].filter(([, { at }]) => at <= now).map(([number]) => number);
    if (now >= this.#sweepAt) {
      this.#sweepAt = now + (this.#options.sweepMs ?? SWEEP_MS);
      due.push(...(await this.#context.jobs.listOpen('job')).filter((number) => !this.#retries.has(number)));
    }
    for (const number of due) await this.open(number);
  }

  /**
   * Runs until `signal` aborts; then ends the steps in progress, and the leases, so that another
   * process goes on at once.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.tick().catch((error: unknown) => this.#options.reportFailure('Jobs could not be listed', error));
      await this.#context.clock.sleep(TICK_MS, signal);
    }
    this.#isStopping = true;
    await this.settle();
    await Promise.all([...this.#active.values()].map((job) => this.#handOver(job)));
  }

  /** Waits until no step is in progress. */
  async settle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #handOver(job: ActiveJob): Promise<void> {
    this.#close(job);
    // Without that, another process goes on when the lease ends.
    await job.endLease().catch((error: unknown) => {
      this.#options.reportFailure(`Job ${job.image.number} could not be handed over`, error);
    });
  }

  #take({ certname, transactionId, content }: PxpAnswer): void {
    const expected = this.#expected.get(transactionId);
    // Only the node itself can answer for it.
    if (expected === undefined || expected.job.image.nameOf(expected.index) !== certname) return;
    const { job, index, isQuery } = expected;
    job.take({ kind: isQuery ? 'status' : 'answer', index, transactionId, content });
  }

  /** Wakes a new job when its first nodes may start. */
  #wakeLater(job: ActiveJob): void {
    const { clock, startDelayMs } = this.#context;
    if (startDelayMs > 0) void clock.sleep(startDelayMs).then(() => this.#wake(job));
  }

  #wake(job: ActiveJob): void {
    if (this.#isStopping || this.#active.get(job.image.number) !== job) return;
    if (this.#stepping.has(job)) {
      this.#stepping.set(job, true);
      return;
    }
    this.#stepping.set(job, false);
    const work = this.#makeSteps(job).finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  async #makeSteps(job: ActiveJob): Promise<void> {
    try {
      for (;;) {
        this.#stepping.set(job, false);
        const next = await job.step();
        this.#retries.delete(job.image.number);
        if (next === 'ended') this.#close(job);
        if (next === 'ended' || this.#isStopping) return;
        if (next === 'wait' && this.#stepping.get(job) !== true) return;
      }
    } catch (error) {
      this.#close(job);
      this.#retryLater(job.image.number, error);
    } finally {
      this.#stepping.delete(job);
    }
  }

  #close(job: ActiveJob): void {
    job.release();
    this.#active.delete(job.image.number);
  }

  #retryLater(number: number, error: unknown): void {
    // A job that another process has comes back with the next sweep, when that one died.
    if (error instanceof JobLost) return;
    this.#options.reportFailure(`Job ${number} is put off`, error);
    const before = this.#retries.get(number)?.pauseMs ?? FIRST_PAUSE_MS / 2;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * before);
    this.#retries.set(number, { at: this.#context.clock.now() + pauseMs, pauseMs });
  }
}
