import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { MEASURES, type Measure } from '../config/metrics.ts';
import type { AcceptedCheckIn, CatalogAnswer, CatalogService, HeldCheckIn } from '../fleet/catalogs/catalog-service.ts';
import type { CompileJobReport } from '../fleet/compiles/compile-job-report.ts';
import { countStages } from '../fleet/stages/count-stages.ts';
import type { Clock } from '../store/ports/clock.ts';
import type { CompileQueue } from '../store/ports/compile-queue.ts';
import type { EnvironmentStore } from '../store/ports/environment-store.ts';
import type { NodeStore } from '../store/ports/node-store.ts';
import { StoreUnavailable } from '../store/ports/store-errors.ts';

interface MetricStores {
  readonly nodes: Pick<NodeStore, 'getCounts' | 'listRing'>;
  readonly queue: Pick<CompileQueue, 'getDepth'>;
  readonly environments: Pick<EnvironmentStore, 'list'>;
  readonly clock: Clock;
}

/** Gets what is counted, one by one. */
interface WorkWatcher {
  note(part: 'answers', name: string): void;
  noteCompile(outcome: 'compiled' | 'failed', durationMs: number): void;
}

type DoneJob = Pick<CompileJobReport, 'outcome' | 'durationMs'> & Partial<Pick<CompileJobReport, 'nativeDefects'>>;

/** Counts from the stores are cached for this long, because counting is expensive. */
const KEPT_MS = 5000;

const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'POST', 'PUT']);

/** Metrics of this process and its installation in Prometheus' terms. Times are in seconds. */
export class ServerMetrics {
  readonly registry = new Registry();
  readonly #stores: MetricStores;
  readonly #answers: Counter<'answer'>;
  readonly #requests: Histogram<'method' | 'path' | 'status'>;
  readonly #compiles: Histogram<'outcome'>;
  readonly #compileJobs: Counter<'outcome'>;
  readonly #nativeDefects: Counter;
  readonly #jobFaults: Counter;
  readonly #missingPacks: Counter;
  readonly #skippedComparisons: Counter;
  readonly #forwardedReports: Counter<'outcome'>;
  #waiting: () => number = () => 0;
  #watcher: WorkWatcher | null = null;
  #reported: ReadonlyMap<string, number> = new Map();
  #counted: { readonly at: number; readonly done: Promise<void> } | null = null;

  constructor(stores: MetricStores) {
    this.#stores = stores;
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#answers = new Counter({ ...toMetric(MEASURES.catalogAnswers), registers });
    this.#requests = new Histogram({ ...toHistogram(MEASURES.requestDuration), registers });
    this.#compiles = new Histogram({ ...toHistogram(MEASURES.compileDuration), registers });
    this.#compileJobs = new Counter({ ...toMetric(MEASURES.compileJobs), registers });
    this.#nativeDefects = new Counter({ ...toMetric(MEASURES.nativeRubyDefects), registers });
    this.#jobFaults = new Counter({ ...toMetric(MEASURES.jobFaults), registers });
    this.#missingPacks = new Counter({ ...toMetric(MEASURES.missingPacks), registers });
    this.#skippedComparisons = new Counter({ ...toMetric(MEASURES.skippedComparisons), registers });
    this.#forwardedReports = new Counter({ ...toMetric(MEASURES.forwardedReports), registers });
    this.#createGauges(registers);
  }

  /**
   * Shows the number of catalog requests that this process holds; `waiting` is called at each
   * scrape.
   */
  showWaiting(waiting: () => number): void {
    this.#waiting = waiting;
    new Gauge({
      ...toMetric(MEASURES.requestsWaiting),
      registers: [this.registry],
      collect() {
        this.set(waiting());
      },
    });
  }

  /** Has answers and compiles counted by another one, too. */
  watch(watcher: WorkWatcher): void {
    this.#watcher = watcher;
  }

  /** Shows the damage of the data directory; `count` is called at each scrape. */
  showDamage(count: () => Readonly<Record<string, number>>): void {
    new Counter({
      ...toMetric(MEASURES.damageFound),
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [kind, found] of Object.entries(count())) this.inc({ kind }, found);
      },
    });
  }

  /**
   * Returns the values of this process for CloudWatch by their names there: answers since the last
   * call, and requests held now.
   */
  async takeLoad(): Promise<Readonly<Record<string, number>>> {
    const { values } = await this.#answers.get();
    const counts = new Map(values.map(({ labels, value }) => [String(labels.answer), value]));
    const before = this.#reported;
    this.#reported = counts;
    const names = Object.entries(MEASURES.catalogAnswers.cloudWatch);
    const answers = names.map(([answer, name]) => [name, (counts.get(answer) ?? 0) - (before.get(answer) ?? 0)]);
    return { ...Object.fromEntries(answers), [MEASURES.requestsWaiting.cloudWatch]: this.#waiting() };
  }

  /** Returns the catalog requests answered since this process began, by the kind of answer. */
  async readAnswers(): Promise<Readonly<Record<string, number>>> {
    const { values } = await this.#answers.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.answer), value]));
  }

  /** Wraps the service to count its answers. */
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
    this.#watcher?.note('answers', name.replaceAll('-', '_'));
  }

  /**
   * Counts a request. `path` is the endpoint's pattern rather than the request path, to bound the
   * number of label values.
   */
  request(method: string, path: string, status: number, milliseconds: number): void {
    const known = METHODS.has(method) ? method : 'other';
    this.#requests.observe({ method: known, path, status }, milliseconds / 1000);
  }

  /** Counts a job's outcome in this process, and the packs that its worker missed. */
  countCompileJob({ outcome, durationMs, nativeDefects = [] }: DoneJob, missingPacks = 0): void {
    this.#missingPacks.inc(missingPacks);
    this.#compileJobs.inc({ outcome });
    this.#nativeDefects.inc(nativeDefects.length);
    if (outcome !== 'compiled' && outcome !== 'failed') return;
    this.#compiles.observe({ outcome }, durationMs / 1000);
    this.#watcher?.noteCompile(outcome, durationMs);
  }

  /** Counts a job that met a fault and will be retried. */
  countJobFault(): void {
    this.#jobFaults.inc();
  }

  /** Counts a node that got the upstream's catalog and was not compiled here, for lack of room. */
  countSkippedComparison(): void {
    this.#skippedComparisons.inc();
  }

  /** Counts a report for the HTTP endpoint of reports. */
  countForwardedReport(outcome: 'sent' | 'rejected'): void {
    this.#forwardedReports.inc({ outcome });
  }

  #createGauges(registers: Registry[]): void {
    // The registry reads all gauges at once: they share one count.
    const collect = () => this.#count(gauges);
    const gauges: StoreGauges = {
      jobs: new Gauge({ ...toMetric(MEASURES.queueJobs), registers, collect }),
      age: new Gauge({ ...toMetric(MEASURES.queueAge), registers, collect }),
      nodes: new Gauge({ ...toMetric(MEASURES.nodes), registers, collect }),
      lag: new Gauge({ ...toMetric(MEASURES.ringLag), registers, collect }),
      stages: new Gauge({ ...toMetric(MEASURES.stagedDeploys), registers, collect }),
    };
  }

  /**
   * Counts, unless the cached count is recent. When a store is unavailable, only the process
   * metrics are shown.
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

/** A metric with its labels by name. */
interface ShownMeasure<Label extends string> extends Measure {
  readonly prometheus: string;
  readonly labels: readonly Label[];
}

/** The options of a Prometheus metric. */
export function toMetric<Label extends string>({ prometheus, help, labels }: ShownMeasure<Label>) {
  return { name: prometheus, help, labelNames: labels };
}

function toHistogram<Label extends string>(measure: ShownMeasure<Label> & { readonly buckets: readonly number[] }) {
  return { ...toMetric(measure), buckets: [...measure.buckets] };
}

/** Gauges counted from the stores. */
interface StoreGauges {
  readonly jobs: Gauge<'queue' | 'state'>;
  readonly age: Gauge<'queue'>;
  readonly nodes: Gauge<'state'>;
  readonly lag: Gauge;
  readonly stages: Gauge<'state'>;
}

async function fill(gauges: StoreGauges, { queue, nodes, environments, clock }: MetricStores): Promise<void> {
  for (const gauge of Object.values(gauges)) gauge.reset();
  const [depth, counts, [oldest], deployed] = await Promise.all([
    queue.getDepth(),
    nodes.getCounts(),
    nodes.listRing(1, clock.now()),
    environments.list(),
  ]);
  for (const [name, { visible, inFlight, oldestAgeMs }] of Object.entries(depth)) {
    gauges.jobs.set({ queue: name, state: 'visible' }, visible);
    gauges.jobs.set({ queue: name, state: 'in_flight' }, inFlight);
    gauges.age.set({ queue: name }, oldestAgeMs / 1000);
  }
  gauges.nodes.set({ state: 'all' }, counts.nodes);
  gauges.nodes.set({ state: 'outstanding' }, counts.outstanding);
  for (const [state, count] of Object.entries(countStages(deployed))) gauges.stages.set({ state }, count);
  gauges.lag.set(oldest ? (clock.now() - oldest.ringPosition) / 1000 : 0);
}
