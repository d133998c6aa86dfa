import { isDeepStrictEqual } from 'node:util';
import type { JobProgress } from '../../shared/orchestrator/jobs/job-context.ts';
import { ENDED } from '../../shared/orchestrator/jobs/job-image.ts';
import { listNodeRuns } from '../../shared/orchestrator/jobs/load-job.ts';
import type { JobRecord, NodeRun, ScheduleRecord } from '../../shared/store/ports/job-records.ts';
import type { JobStore, LedgerChange, StopRequest } from '../../shared/store/ports/job-store.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { Violation } from './explore.ts';
import type { TakenStep } from './scheduler.ts';

/** What is known of a job from its commits. */
interface KnownJob {
  readonly names: readonly string[];
  readonly nodes: Map<string, NodeRun>;
  body: JobRecord | null;
  latestEvent: number;
  readonly eventTypes: string[];
}

interface Run {
  readonly job: number;
  readonly certname: string;
  readonly transactionId: string;
}

/**
 * Knows what was accepted and committed in a run, and checks every step and its end:
 *
 * - an agent runs what is stored as running, and each node of a job once;
 * - a node that ended stays as it is, and its job counts it;
 * - events have growing numbers, and each job ends once;
 * - a job that is to stop starts no node after its engine could know;
 * - each time of a scheduled job is run by one process, and none after it was disabled;
 * - in the end every accepted job has ended.
 */
export class JobModel {
  /** The nodes of jobs, by the keys of their blobs. */
  readonly #targets = new Map<string, readonly string[]>();
  readonly #jobs = new Map<number, KnownJob>();
  readonly #runs: Run[] = [];
  /** Jobs that are to stop, with the nodes that were new when nothing ran any more. */
  readonly #stops = new Map<number, StopRequest>();
  readonly #skipped = new Map<number, readonly string[]>();
  readonly #willing = new Set<string>();
  readonly #due = new Set<string>();
  readonly #disabled = new Set<number>();
  readonly #failures: unknown[] = [];
  readonly #schedules = new Map<number, ScheduleRecord>();
  /** Whether a process died, or a call failed. */
  isFaulty = false;
  #begun = 0;
  #created = 0;

  #accept(number: number): void {
    if (this.#jobs.has(number)) return;
    const names = this.#targets.get(`jobs/${number}/targets`) ?? [];
    this.#jobs.set(number, { names, nodes: new Map(), body: null, latestEvent: 0, eventTypes: [] });
  }

  noteFailure(cause: unknown): void {
    if (!(cause instanceof StoreUnavailable)) this.#failures.push(cause);
  }

  /** An agent that runs what it is asked to run. */
  noteWilling(certname: string): void {
    this.#willing.add(certname);
  }

  noteDisabled(number: number): void {
    this.#disabled.add(number);
  }

  /** An agent begins to run a request. */
  noteRun(certname: string, transactionId: string): void {
    const found = [...this.#jobs].find(([, { nodes }]) => nodes.get(certname)?.transactionId === transactionId);
    if (found === undefined) {
      this.#failures.push(new Violation(`${certname} runs what no job has stored`));
      return;
    }
    const [number, { nodes, body }] = found;
    this.#runs.push({ job: number, certname, transactionId });
    const state = nodes.get(certname)?.state;
    // A request that is under way when its job is stopped by force still arrives.
    const isForced = this.#stops.get(number) === 'force';
    const isLate = !this.isFaulty && !isForced && (state !== 'running' || body?.finishedAt !== null);
    if (isLate) this.#failures.push(new Violation(`${certname} begins to run for job ${number}, and is ${state}`));
  }

  observe({ step, outcome, args, result }: TakenStep, now: number): void {
    if (typeof outcome === 'string' || outcome.isDone) this.observeCall(step.call, args, result, now);
    if (outcome !== 'done' || step.call === '*.jump') this.isFaulty = true;
    this.#throwFirst();
    // Those that notify nodes have a description.
    const isScheduled = step.call === 'jobs.create' && args[0] === 'job' && (args[2] as JobRecord).description === '';
    if (isScheduled) this.#created += 1;
  }

  /** A call that was made. */
  observeCall(call: string, args: readonly unknown[], result: unknown, now: number): void {
    const [first, second, version, change, token] = args;
    if (call === 'blobs.put' && /^jobs\/\d+\/targets$/.test(String(first))) {
      this.#targets.set(String(first), JSON.parse(String(second)).names);
    }
    if (call === 'jobs.create' && first === 'job') this.#accept(Number(second));
    if (call === 'jobs.requestStop') this.#stops.set(Number(first), second as StopRequest);
    if (call !== 'jobs.commit' || result !== true) return;
    if (first === 'job') this.#commit(Number(second), change as LedgerChange<JobRecord>);
    else
      this.#moveSchedule(Number(second), Number(version), change as LedgerChange<ScheduleRecord>, String(token), now);
  }

  /** What a step told is what it committed. */
  noteProgress({ number, nodes }: JobProgress): void {
    const job = this.#jobs.get(number);
    for (const { name, state } of nodes) {
      const known = job?.nodes.get(name)?.state;
      if (known !== undefined && ENDED.includes(known) && known !== state) {
        this.#failures.push(new Violation(`${name} is told to be ${state}, and is ${known}`));
      }
    }
  }

  #commit(number: number, { body, nodes = [], events = [] }: LedgerChange<JobRecord>): void {
    const job = this.#jobs.get(number);
    if (job === undefined) return;
    if (job.body !== null && job.body.finishedAt !== null && events.length + nodes.length > 0) {
      throw new Violation(`job ${number} goes on after its end`);
    }
    job.body = body;
    for (const run of nodes) {
      const known = job.nodes.get(run.name);
      if (known && ENDED.includes(known.state)) throw new Violation(`${run.name} ends twice in job ${number}`);
      job.nodes.set(run.name, run);
    }
    for (const { id, type } of events) {
      if (id <= job.latestEvent) throw new Violation(`event ${id} of job ${number} comes after ${job.latestEvent}`);
      job.latestEvent = id;
      job.eventTypes.push(type);
    }
  }

  #moveSchedule(
    number: number,
    version: number,
    { body }: LedgerChange<ScheduleRecord>,
    token: string,
    now: number,
  ): void {
    const before = this.#schedules.get(number);
    this.#schedules.set(number, body);
    if (!token.startsWith('run-')) return;
    this.#begun += 1;
    const due = `${number} ${before?.nextRunAt ?? 'first'}`;
    if (this.#due.has(due)) throw new Violation(`scheduled job ${number} runs twice at one time`);
    this.#due.add(due);
    if (this.#disabled.has(number)) throw new Violation(`scheduled job ${number} runs at ${now} and is disabled`);
    if (version < 1) throw new Violation(`scheduled job ${number} is moved on from nothing`);
  }

  #throwFirst(): void {
    const [first] = this.#failures;
    if (first !== undefined)
      throw first instanceof Violation ? first : new Violation(`an engine failed: ${String(first)}`);
  }

  /** When all processes have ended. */
  checkEnd(): void {
    this.#throwFirst();
    if (!this.isFaulty && this.#begun !== this.#created) {
      throw new Violation(`${this.#begun} runs of scheduled jobs were begun, and ${this.#created} made`);
    }
    for (const [number, { names, nodes }] of this.#jobs) {
      if (this.#stops.has(number))
        this.#skipped.set(
          number,
          names.filter((name) => !nodes.has(name)),
        );
    }
  }

  /** When a new server had its time. */
  async checkRest(jobs: JobStore): Promise<void> {
    this.#throwFirst();
    for (const [number, known] of this.#jobs) {
      const ledger = await jobs.get('job', number);
      if (ledger === null) throw new Violation(`job ${number} is lost`);
      const { body } = ledger;
      if (body.finishedAt === null) throw new Violation(`job ${number} has not ended`);
      const runs: NodeRun[] = [];
      for await (const run of listNodeRuns(jobs, number)) runs.push(run);
      this.#checkNodes(number, known, body, runs);
      const ids = (await jobs.listEvents('job', number, 0, 1000)).map(({ id, type }) => ({ id, type }));
      const ends = ids.filter(({ type }) => type === 'job_finished').length;
      if (ends !== 1) throw new Violation(`job ${number} has ${ends} ends`);
      if (new Set(ids.map(({ id }) => id)).size !== ids.length)
        throw new Violation(`events of job ${number} share ids`);
      for (const name of known.names) {
        const endings = (await jobs.listEvents('job', number, 0, 1000)).filter(
          ({ type, details }) => details.node === name && /^node_(finished|failed|errored|skipped)$/.test(type),
        );
        if (endings.length !== 1) throw new Violation(`${name} has ${endings.length} ends in job ${number}`);
      }
    }
  }

  #checkNodes(number: number, known: KnownJob, body: JobRecord, runs: readonly NodeRun[]): void {
    const counts: Record<string, number> = {};
    for (const { state } of runs) counts[state] = (counts[state] ?? 0) + 1;
    const counted = Object.fromEntries(Object.entries(body.nodeStates).filter(([, count]) => count !== 0));
    if (!isDeepStrictEqual(counts, counted)) {
      throw new Violation(`job ${number} counts ${JSON.stringify(counted)} of ${JSON.stringify(counts)}`);
    }
    for (const name of known.names) {
      const run = runs.find((one) => one.name === name);
      if (run === undefined) throw new Violation(`${name} has no end in job ${number}`);
      const before = known.nodes.get(name);
      if (before && ENDED.includes(before.state) && !isDeepStrictEqual(before.state, run.state)) {
        throw new Violation(`${name} was ${before.state} in job ${number}, and is ${run.state}`);
      }
      const began = this.#runs.filter(({ job, certname }) => job === number && certname === name).length;
      if (run.state === 'skipped' && began > 0) throw new Violation(`${name} is skipped in job ${number}, and ran`);
      if (began > 1) throw new Violation(`${name} ran ${began} times for job ${number}`);
      if (run.state === 'finished' && began !== 1) throw new Violation(`${name} is finished, and did not run`);
      const isWilful = this.#stops.get(number) === 'force' || !this.#willing.has(name);
      if (run.state === 'errored' && !this.isFaulty && !isWilful) {
        throw new Violation(`${name} is errored in job ${number} without a fault: ${run.message}`);
      }
      const isToSkip = this.#skipped.get(number)?.includes(name) === true;
      if (isToSkip && run.state !== 'skipped') throw new Violation(`${name} is ${run.state} in a stopped job`);
    }
  }
}
