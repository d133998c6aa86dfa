import { REQUESTS } from '../../access/ca/certificate-records.ts';
import { summarizeNode } from '../../store/node-summary.ts';
import { revisionToken } from '../../store/ports/environment-store.ts';
import type { ChangePlace, NodeChange, NodeChangeLog } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { ReportSummary } from '../reports/node-reports.ts';
import {
  listReports,
  listReportsWithin,
  listUnchangedRuns,
  REPORT_STATUSES,
  readReportSummary,
} from '../reports/node-reports.ts';
import type { FleetEvent } from './fleet-events.ts';
import { type FleetNodeState, fleetState, SILENT_MS, type ViewedNode } from './fleet-states.ts';
import { FleetView } from './fleet-view.ts';
import { PolledNodes } from './polled-nodes.ts';

export type FleetPorts = Pick<Stores, 'nodes' | 'documents' | 'blobs' | 'environments' | 'clock'>;

interface WatchOptions {
  /** Follows the changes of nodes; null where there is no log: see `PolledNodes`. */
  readonly changes: NodeChangeLog | null;
  /** Called for each change while somebody watches. */
  readonly publish: (event: FleetEvent) => void;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** The name of the view's place in the log of changes. */
export const CONSOLE_CONSUMER = 'console';

const PAGE = 1000;
const CHANGES_A_TURN = 500;
const PAUSE_MS = 1000;
/** Without a log, each look costs requests to the stores, whether something changed or not. */
const POLLING_PAUSE_MS = 5000;
const PAUSE_AFTER_FAILURE_MS = 15_000;
/** Idle time after which the view is dropped, and changes are kept for it no more. */
const IDLE_MS = 10 * 60_000;
/** A view without a log is read anew after this time, should a change have been missed. */
const REREAD_MS = 6 * 3600_000;
/** A fleet-wide deploy makes all nodes stale: of more, the rest shows as it was. */
const MOST_STALE = 200_000;
/** Failed runs that are looked up at the first pass. */
const MOST_FAILED = 1000;
/** Waiting requests are counted up to this number; without a log, seldom, and up to another. */
const MOST_REQUESTS = 10_000;
const POLLED_REQUESTS = { most: 1000, everyMs: 15_000 } as const;
const FAILED_SINCE_MS = DAY_MS;
/** Last runs that one list looks for. */
const MOST_RUNS_SOUGHT = 100;
const RUNS_AT_ONCE = 8;

/**
 * Keeps a `FleetView` while somebody looks: the first question begins it, each change of a node
 * updates it within seconds, and it is dropped when nobody asked for ten minutes. Without
 * questions it costs nothing.
 */
export class FleetWatch {
  readonly #ports: FleetPorts;
  readonly #options: WatchOptions;
  #view = new FleetView();
  /** The nodes of the view whose last runs were looked for. */
  #sought = new Set<string>();
  /** When the view was as the stores; null while it is read for the first time. */
  #asOf: number | null = null;
  #lastQuestion = 0;
  #running: Promise<void> | null = null;
  readonly #stopping = new AbortController();
  #readAt = 0;
  #deploys: ReadonlyMap<string, string> | null = null;
  #requests: number | null = null;
  #countedAt = 0;
  readonly #polled: PolledNodes;

  constructor(ports: FleetPorts, options: WatchOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#polled = new PolledNodes(ports);
  }

  /**
   * The view, with the time at which it was as the stores; null: it is being read for the first
   * time, and lacks nodes.
   */
  look(): { readonly view: FleetView; readonly asOf: number | null } {
    this.#lastQuestion = this.#ports.clock.now();
    if (!this.#stopping.signal.aborted) this.#running ??= this.#run();
    return this.shown;
  }

  /** The view without a question. */
  get shown(): { readonly view: FleetView; readonly asOf: number | null } {
    return { view: this.#view, asOf: this.#asOf };
  }

  /**
   * Looks for the last runs of nodes whose status the view does not know: each once, and of 100
   * nodes at most. Returns whether one was found. A store that fails is asked again the next time.
   */
  async findRuns(nodes: readonly ViewedNode[]): Promise<boolean> {
    const sought = this.#sought;
    const unknown = nodes.filter(({ certname, runStatus }) => runStatus === null && !sought.has(certname));
    const found = await inParallel(RUNS_AT_ONCE, unknown.slice(0, MOST_RUNS_SOUGHT), ({ certname }) => {
      sought.add(certname);
      return this.#findRun(certname).catch(() => {
        sought.delete(certname);
        return false;
      });
    });
    return found.includes(true);
  }

  async #findRun(certname: string): Promise<boolean> {
    const [last] = await listReports(this.#ports, { certname, limit: 1 });
    // A report may have come meanwhile.
    if (last === undefined || this.#view.get(certname)?.runStatus !== null) return false;
    this.#view.noteRun(certname, last.status, last.receivedAt);
    return true;
  }

  /** Whether somebody looked within ten minutes. */
  get isWatched(): boolean {
    return this.#running !== null;
  }

  /** Ends the watch for good. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#stopping;
    while (!signal.aborted && clock.now() - this.#lastQuestion < IDLE_MS) {
      const isDone = await this.step().then(
        () => true,
        (error: unknown) => {
          this.#options.reportFailure('The overview of nodes could not be read', error);
          return false;
        },
      );
      await clock.sleep(isDone ? this.#pause : PAUSE_AFTER_FAILURE_MS, signal);
    }
    await this.#options.changes?.forget(CONSOLE_CONSUMER).catch(() => {});
    this.#view = new FleetView();
    this.#sought = new Set();
    this.#asOf = null;
    this.#running = null;
  }

  get #pause(): number {
    return this.#options.changes === null ? POLLING_PAUSE_MS : PAUSE_MS;
  }

  /** Brings the view to the present. */
  async step(): Promise<void> {
    const now = this.#ports.clock.now();
    const { changes } = this.#options;
    if (changes === null) await this.#poll(now);
    else await this.#follow(changes);
    await this.#publishDeploys();
    if (changes !== null) await this.#publishRequests(MOST_REQUESTS);
    else if (now - this.#countedAt >= POLLED_REQUESTS.everyMs) await this.#publishRequests(POLLED_REQUESTS.most);
    this.#asOf = now;
  }

  async #poll(now: number): Promise<void> {
    if (this.#asOf === null || now - this.#readAt >= REREAD_MS) {
      await this.#readAll();
      await this.#readRuns(now);
      await this.#polled.begin(this.#readAt);
      return;
    }
    const { nodes, removed, reports, runs } = await this.#polled.read(this.#view, now);
    for (const certname of removed) this.#remove(certname);
    for (const summary of nodes) {
      const before = this.#stateOf(summary.certname);
      const isOther = this.#view.put(summary);
      this.#view.noteSeen(summary.certname, runs.get(summary.certname) ?? 0);
      if (isOther || before !== this.#stateOf(summary.certname)) this.#publishNode(summary.certname);
    }
    for (const report of reports) this.#noteReport(report);
  }

  async #follow(changes: NodeChangeLog): Promise<void> {
    await this.#followLog(changes);
    const stale = await this.#ports.nodes.listOutstandingNames(MOST_STALE);
    for (const certname of this.#view.noteStale(new Set(stale))) this.#publishNode(certname);
  }

  async #followLog(changes: NodeChangeLog): Promise<void> {
    for (;;) {
      const turn = await changes.read(CONSOLE_CONSUMER, CHANGES_A_TURN);
      const mustRead = this.#asOf === null || turn.pass !== null;
      if (turn.pass === '') await changes.follow(CONSOLE_CONSUMER);
      if (mustRead) await this.#readAll();
      else await this.#handle(turn.changes);
      if (mustRead) this.#asOf = this.#readAt;
      if (turn.changes.length === 0 && !mustRead) return;
      const place: ChangePlace = { position: turn.position, pass: null };
      await changes.advance(CONSOLE_CONSUMER, place);
    }
  }

  async #handle(turn: readonly NodeChange[]): Promise<void> {
    const read = new Set<string>();
    for (const change of turn) {
      const { certname, kind } = change;
      if (kind === 'removed') this.#remove(certname);
      else if (kind === 'report') this.#noteReport(readReportSummary(change.document));
      else if (!read.has(certname)) {
        read.add(certname);
        const record = await this.#ports.nodes.get(certname);
        if (record !== null) this.#view.put(summarizeNode(record));
        this.#publishNode(certname);
      }
    }
  }

  #remove(certname: string): void {
    if (this.#view.get(certname) === null) return;
    this.#view.remove(certname);
    this.#options.publish({ kind: 'node', certname, state: null });
  }

  #noteReport({ certname, status, noop, transactionUuid, receivedAt }: ReportSummary): void {
    this.#view.noteRun(certname, status, receivedAt);
    this.#options.publish({ kind: 'report', certname, status, noop, transactionUuid });
    this.#publishNode(certname);
  }

  async #publishDeploys(): Promise<void> {
    const records = await this.#ports.environments.list();
    const present = new Map(records.map((one) => [one.name, `${revisionToken(one)} ${one.settled >= one.revision}`]));
    for (const { name: environment, codeId, by, settled, revision } of records) {
      if (this.#deploys === null || this.#deploys.get(environment) === present.get(environment)) continue;
      this.#options.publish({ kind: 'deploy', environment, codeId, by, isSettled: settled >= revision });
    }
    this.#deploys = present;
  }

  async #publishRequests(most: number): Promise<void> {
    this.#countedAt = this.#ports.clock.now();
    const waiting = await this.#ports.documents.countKeys(REQUESTS, most);
    if (this.#requests !== null && this.#requests !== waiting) {
      this.#options.publish({ kind: 'certificate-requests', waiting });
    }
    this.#requests = waiting;
  }

  /** The certificate requests that wait; null before the first look. */
  get waitingRequests(): number | null {
    return this.#requests;
  }

  #publishNode(certname: string): void {
    const state = this.#stateOf(certname);
    if (state !== null) this.#options.publish({ kind: 'node', certname, state });
  }

  /** Null: the node is not in the view. */
  #stateOf(certname: string): FleetNodeState | null {
    const node = this.#view.get(certname);
    return node && fleetState(node, this.#ports.clock.now());
  }

  async #readAll(): Promise<void> {
    const { nodes, clock } = this.#ports;
    this.#readAt = clock.now();
    const seen = new Set<string>();
    for (let after: string | null = null; !this.#stopping.signal.aborted; ) {
      const page = await nodes.listSummaries(after, PAGE);
      for (const summary of page) {
        seen.add(summary.certname);
        this.#view.put(summary);
      }
      after = page.at(-1)?.certname ?? null;
      if (page.length < PAGE) break;
      // Requests are served between the pages.
      await clock.sleep(1);
    }
    this.#view.keepOnly(seen);
    await this.#readFailedRuns();
  }

  /** Notes when nodes ran: their records are up to a day behind where reports are awaited. */
  async #readRuns(now: number): Promise<void> {
    const { clock } = this.#ports;
    let read = 0;
    for await (const { certname, receivedAt } of listUnchangedRuns(this.#ports)) {
      this.#view.noteSeen(certname, receivedAt);
      if (this.#stopping.signal.aborted) return;
      read += 1;
      if (read < PAGE) continue;
      // Requests are served meanwhile.
      await clock.sleep(1);
      read = 0;
    }
    for (const status of REPORT_STATUSES) {
      const lately = { from: now - SILENT_MS, before: now };
      for await (const { certname, receivedAt } of listReportsWithin(this.#ports, status, lately)) {
        this.#view.noteSeen(certname, receivedAt);
      }
    }
  }

  /** Finds the nodes whose last run failed, among the latest failed runs of a day. */
  async #readFailedRuns(): Promise<void> {
    const since = this.#ports.clock.now() - FAILED_SINCE_MS;
    const failed = await listReports(this.#ports, { status: 'failed', since, limit: MOST_FAILED });
    for (const certname of new Set(failed.map((one) => one.certname))) {
      const [last] = await listReports(this.#ports, { certname, limit: 1 });
      if (last !== undefined) this.#view.noteRun(certname, last.status, last.receivedAt);
    }
  }
}
