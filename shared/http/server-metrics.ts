import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AcceptedCheckIn, CatalogAnswer, CatalogService, HeldCheckIn } from '../fleet/catalogs/catalog-service.ts';
import type { CompileJobReport } from '../fleet/compiles/compile-job-report.ts';
import type { Clock } from '../store/ports/clock.ts';
import type { CompileQueue } from '../store/ports/compile-queue.ts';
import type { NodeStore } from '../store/ports/node-store.ts';
import { StoreUnavailable } from '../store/ports/store-errors.ts';

interface MetricStores {
  readonly nodes: Pick<NodeStore, 'getCounts' | 'listRing'>;
  readonly queue: Pick<CompileQueue, 'getDepth'>;
  readonly clock: Clock;
}

type DoneJob = Pick<CompileJobReport, 'outcome' | 'durationMs'> & Partial<Pick<CompileJobReport, 'nativeDefects'>>;

/** What is counted in the stores is kept for this long: to count costs more than to ask. */
const KEPT_MS = 5000;
const COMPILE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120];

const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'POST', 'PUT']);

/**
 * The figures of this process and of the installation that it belongs to, in Prometheus' terms.
 * Times are in seconds.
 */
export class ServerMetrics {
  readonly registry = new Registry();
  readonly #stores: MetricStores;
  readonly #answers: Counter<'answer'>;
  readonly #requests: Histogram<'method' | 'path' | 'status'>;
  readonly #compiles: Histogram<'outcome'>;
  readonly #compileJobs: Counter<'outcome'>;
  readonly #nativeDefects: Counter;
  readonly #jobFaults: Counter;
  #counted: { readonly at: number; readonly done: Promise<void> } | null = null;

  constructor(stores: MetricStores) {
    this.#stores = stores;
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#answers = new Counter({
      name: 'understudy_catalog_answers_total',
      help: 'Catalog requests by answer: hit (stored, at once), miss (compiled meanwhile), stale, failed, unavailable',
      labelNames: ['answer'],
      registers,
    });
    this.#requests = new Histogram({
      name: 'understudy_http_request_duration_seconds',
      help: 'Time from a request to its answer, waiting for a compile included',
      labelNames: ['method', 'path', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    });
    this.#compiles = new Histogram({
      name: 'understudy_compile_duration_seconds',
      help: 'Time of the compiles of this process',
      labelNames: ['outcome'],
      buckets: COMPILE_SECONDS,
      registers,
    });
    this.#compileJobs = new Counter({
      name: 'understudy_jobs_total',
      help: 'Jobs of this process by what became of them',
      labelNames: ['outcome'],
      registers,
    });
    this.#nativeDefects = new Counter({
      name: 'understudy_native_ruby_defects_total',
      help: 'Templates and functions that Ruby ran because native code failed at them; the access log names them',
      registers,
    });
    this.#jobFaults = new Counter({
      name: 'understudy_job_faults_total',
      help: 'Jobs of this process that met a fault of the installation and are tried again; the log names it',
      registers,
    });
    this.#createGauges(registers);
  }

  /** Shows how many catalog requests this process holds, by asking `waiting` when someone looks. */
  showWaiting(waiting: () => number): void {
    new Gauge({
      name: 'understudy_catalog_requests_waiting',
      help: 'Catalog requests that this process holds until their compile is done',
      registers: [this.registry],
      collect() {
        this.set(waiting());
      },
    });
  }

  /** The same service, its answers counted. */
  countAnswers(catalogs: CatalogService): CatalogService {
    return { accept: async (checkIn) => this.#countAccepted(await catalogs.accept(checkIn)) };
  }

  #countAccepted(accepted: AcceptedCheckIn): AcceptedCheckIn {
    if (accepted.kind === 'held') return this.#countHeld(accepted);
    this.#countAnswer(accepted.answer, 'hit');
    return accepted;
  }

  #countHeld(held: HeldCheckIn): HeldCheckIn {
    return {
      kind: 'held',
      wait: async (facts, signal) => {
        const answer = await held.wait(facts, signal);
        this.#countAnswer(answer, 'miss');
        return answer;
      },
    };
  }

  #countAnswer({ status }: CatalogAnswer, current: 'hit' | 'miss'): void {
    const name = status === 'current' ? current : status;
    this.#answers.inc({ answer: name.replaceAll('-', '_') });
  }

  /** `path`: the endpoint's pattern, not what was asked for, so that there are few of them. */
  request(method: string, path: string, status: number, milliseconds: number): void {
    const known = METHODS.has(method) ? method : 'other';
    this.#requests.observe({ method: known, path, status }, milliseconds / 1000);
  }

  /** What became of a job in this process. */
  countCompileJob({ outcome, durationMs, nativeDefects = [] }: DoneJob): void {
    this.#compileJobs.inc({ outcome });
    this.#nativeDefects.inc(nativeDefects.length);
    if (outcome === 'compiled' || outcome === 'failed') this.#compiles.observe({ outcome }, durationMs / 1000);
  }

  /** A job met a fault of the installation and is tried again. */
  countJobFault(): void {
    this.#jobFaults.inc();
  }

  #createGauges(registers: Registry[]): void {
    // The registry asks all gauges at once: each waits for the one count.
    const collect = () => this.#count(gauges);
    const gauges: StoreGauges = {
      jobs: new Gauge({
        name: 'understudy_queue_jobs',
        help: 'Jobs by queue: visible ones wait, the others are worked on',
        labelNames: ['queue', 'state'],
        registers,
        collect,
      }),
      age: new Gauge({
        name: 'understudy_queue_oldest_seconds',
        help: 'Age of the oldest waiting job; 0 where only CloudWatch knows it',
        labelNames: ['queue'],
        registers,
        collect,
      }),
      nodes: new Gauge({
        name: 'understudy_nodes',
        help: 'Nodes; outstanding ones have a catalog that is out of date',
        labelNames: ['state'],
        registers,
        collect,
      }),
      lag: new Gauge({
        name: 'understudy_ring_lag_seconds',
        help: 'Time since the node least recently compiled or verified had its turn',
        registers,
        collect,
      }),
    };
  }

  /**
   * Counts unless that was done a moment ago. Of a store that does not answer there are no figures,
   * but those of the process.
   */
  #count(gauges: StoreGauges): Promise<void> {
    const at = this.#stores.clock.now();
    if (this.#counted === null || at - this.#counted.at >= KEPT_MS) {
      const done = fill(gauges, this.#stores).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
      });
      this.#counted = { at, done };
    }
    return this.#counted.done;
  }
}

/** What is counted in the stores. */
interface StoreGauges {
  readonly jobs: Gauge<'queue' | 'state'>;
  readonly age: Gauge<'queue'>;
  readonly nodes: Gauge<'state'>;
  readonly lag: Gauge;
}

async function fill(gauges: StoreGauges, { queue, nodes, clock }: MetricStores): Promise<void> {
  for (const gauge of Object.values(gauges)) gauge.reset();
  const [depth, counts, [oldest]] = await Promise.all([
    queue.getDepth(),
    nodes.getCounts(),
    nodes.listRing(1, clock.now()),
  ]);
  for (const [name, { visible, inFlight, oldestAgeMs }] of Object.entries(depth)) {
    gauges.jobs.set({ queue: name, state: 'visible' }, visible);
    gauges.jobs.set({ queue: name, state: 'in_flight' }, inFlight);
    gauges.age.set({ queue: name }, oldestAgeMs / 1000);
  }
  gauges.nodes.set({ state: 'all' }, counts.nodes);
  gauges.nodes.set({ state: 'outstanding' }, counts.outstanding);
  gauges.lag.set(oldest ? (clock.now() - oldest.ringPosition) / 1000 : 0);
}
