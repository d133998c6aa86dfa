import type { QueueDepth, QueueName } from '../../store/ports/compile-queue.ts';
import type { NodeChangeLog } from '../../store/ports/node-changes.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { ReadServers } from '../../store/ports/servers.ts';
import { cacheFor } from '../../util/cache-for.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { findCompileTime, readWorkHours, type WorkHour } from '../reports/work-hours.ts';
import { CodeChanges } from './code-changes.ts';
import { FleetEvents } from './fleet-events.ts';
import { SILENT_MS } from './fleet-states.ts';
import { AGE_BOUNDS } from './fleet-view.ts';
import { CONSOLE_CONSUMER, type FleetPorts, FleetWatch } from './fleet-watch.ts';

type OverviewPorts = FleetPorts & InvalidatePorts;

/** The numbers of the overview that are no numbers of the view. */
interface StoredNumbers {
  readonly depth: Awaited<ReturnType<OverviewOptions['readDepth']>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly deploys: Awaited<ReturnType<FleetOverview['listDeploys']>>;
  readonly oldest: NodeRecord | undefined;
}

/** The work of some hours, as the API shows it. Times are in milliseconds since 1970. */
interface DescribedHours {
  readonly at: number;
  readonly from: number;
  readonly hours: readonly (Omit<WorkHour, 'compileMs'> & {
    readonly compileMs: { readonly p50: number | null; readonly p99: number | null };
  })[];
  readonly deploys: Awaited<ReturnType<FleetOverview['listDeploys']>>;
}

interface OverviewOptions {
  /** Null where there is no log of changes. */
  readonly changes: NodeChangeLog | null;
  readonly readDepth: () => Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>>;
  /** Counts how this process answered catalog requests. */
  readonly readAnswers: () => Promise<Readonly<Record<string, number>>>;
  /** Reads the servers that share the stores; absent where no others do. */
  readonly readServers?: ReadServers | undefined;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

const NEWEST_DEPLOYS = 20;
/** Maximum age of the numbers of queues, answers, deploys and the ring. */
const NUMBERS_MS = 2000;
/** Maximum age of the work of hours, which processes write once a minute. */
const HOURS_KEPT_MS = 30_000;
const HOUR_MS = 3600_000;

/** Knowledge about all nodes together: their view, its events, and the numbers of the overview. */
export class FleetOverview {
  readonly events: FleetEvents;
  readonly watch: FleetWatch;
  /** Differences of deployed states of code, with their nodes. */
  readonly changes: CodeChanges;
  readonly #ports: OverviewPorts;
  readonly #options: OverviewOptions;
  readonly #since: number;
  /** Reads the stores, once for all who ask within two seconds. */
  readonly #readNumbers: () => Promise<StoredNumbers>;
  /** Reads of hours by their number; routes ask for a few numbers. */
  readonly #hours = new Map<number, () => Promise<DescribedHours>>();
  #isOver = false;

  constructor(ports: OverviewPorts, options: OverviewOptions) {
    const { changes, reportFailure } = options;
    this.#ports = ports;
    this.#options = options;
    this.#since = ports.clock.now();
    this.#readNumbers = cacheFor(NUMBERS_MS, ports.clock, () => this.#readStored());
    this.changes = new CodeChanges(ports);
    this.events = new FleetEvents(ports.clock.now());
    const publish = (event: Parameters<FleetEvents['add']>[0]) => this.events.add(event, ports.clock.now());
    this.watch = new FleetWatch(ports, { changes, publish, reportFailure });
  }

  /** Whether the process is about to end. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the watch, and the streams of events. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.events.wakeAll();
    await this.watch.stop();
  }

  /** The numbers of the overview page, as the API shows them. */
  async describe() {
    const now = this.#ports.clock.now();
    const { view, asOf } = this.watch.look();
    const { depth, answers, deploys, oldest } = await this.#readNumbers();
    return {
      at: asOf,
      isComplete: asOf !== null,
      total: view.size,
      states: view.countStates(now),
      failing: view.countFailing(),
      silentAfterSeconds: SILENT_MS / 1000,
      ages: describeAges(view.countAges(now)),
      requests: { ...answers, since: this.#since },
      queue: depth,
      ring: { position: oldest?.ringPosition ?? null },
      certificateRequests: this.watch.waitingRequests,
      deploys,
      sharing: (await this.#options.readServers?.()) ?? null,
    };
  }

  /** The work of the last hours, the oldest first, with the deploys of that time. */
  describeHours(hours: number): Promise<DescribedHours> {
    const reading = this.#hours.get(hours) ?? cacheFor(HOURS_KEPT_MS, this.#ports.clock, () => this.#readHours(hours));
    this.#hours.set(hours, reading);
    return reading();
  }

  async #readHours(hours: number): Promise<DescribedHours> {
    const now = this.#ports.clock.now();
    const found = await readWorkHours(this.#ports.documents, now, hours);
    const from = now - hours * HOUR_MS;
    const deploys = (await this.listDeploys(NEWEST_DEPLOYS)).filter(({ at }) => at >= from);
    return {
      at: now,
      from,
      hours: found.map(({ compileMs, ...hour }) => ({
        ...hour,
        compileMs: { p50: findCompileTime(compileMs, 0.5), p99: findCompileTime(compileMs, 0.99) },
      })),
      deploys,
    };
  }

  async #readStored(): Promise<StoredNumbers> {
    const [depth, answers, deploys, [oldest]] = await Promise.all([
      this.#options.readDepth(),
      this.#options.readAnswers(),
      this.listDeploys(NEWEST_DEPLOYS),
      this.#ports.nodes.listRing(1, this.#ports.clock.now()),
    ]);
    return { depth, answers, deploys, oldest };
  }

  /** The newest deploys of all environments, newest first. */
  async listDeploys(limit: number) {
    const records = await this.#ports.environments.list();
    const all = records.flatMap(({ name, codeId, deployedAt, by, settled, revision, history }) =>
      [{ codeId, deployedAt, by }, ...history].map((state, index, states) => ({
        environment: name,
        codeId: state.codeId,
        previous: states[index + 1]?.codeId ?? null,
        at: state.deployedAt,
        user: state.by,
        isInForce: index === 0,
        isSettled: index > 0 || settled >= revision,
      })),
    );
    return all.toSorted((a, b) => b.at - a.at).slice(0, limit);
  }
}

function describeAges(counts: readonly number[]) {
  return counts.map((nodes, index) => ({ upTo: secondsOf(AGE_BOUNDS[index]), nodes }));
}

function secondsOf(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : milliseconds / 1000;
}

/** Opens the overview over these stores; it reads nothing before the first question. */
export function openFleetOverview(ports: OverviewPorts, options: OverviewOptions): FleetOverview {
  // A former process may have ended without it: then nobody reads what is kept for it.
  options.changes?.forget(CONSOLE_CONSUMER).catch(() => {});
  return new FleetOverview(ports, options);
}
