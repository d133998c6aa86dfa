import { REQUESTS } from '../../access/ca/certificate-records.ts';
import { summarizeNode } from '../../store/node-summary.ts';
import { revisionToken } from '../../store/ports/environment-store.ts';
import type { ChangePlace, NodeChange, NodeChangeLog } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { listReports, readReportSummary } from '../nodes/node-reports.ts';
import type { FleetEvent } from './fleet-events.ts';
import { FleetView, fleetState } from './fleet-view.ts';

export type FleetPorts = Pick<Stores, 'nodes' | 'documents' | 'blobs' | 'environments' | 'clock'>;

export interface WatchOptions {
  /** Follows the changes of nodes; null where there is no log: the view is read anew instead. */
  readonly changes: NodeChangeLog | null;
  /** Told of each change while somebody watches. */
  readonly tell: (event: FleetEvent) => void;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** The name of the view's place in the log of changes. */
export const CONSOLE_CONSUMER = 'console';

const PAGE = 1000;
const CHANGES_A_TURN = 500;
const PAUSE_MS = 1000;
const PAUSE_AFTER_FAILURE_MS = 15_000;
/** Nobody has asked for so long: the view is dropped, and changes are kept for it no more. */
const IDLE_MS = 10 * 60_000;
/** How old a view without a log becomes before it is read anew. */
const REREAD_MS = 5 * 60_000;
/** A fleet-wide deploy makes all nodes stale: of more, the rest shows as it was. */
const MOST_STALE = 200_000;
/** Failed runs that are looked up at the first pass. */
const MOST_FAILED = 1000;
/** Waiting requests are counted up to this number. */
const MOST_REQUESTS = 10_000;
const FAILED_SINCE_MS = 24 * 3600_000;

/**
 * Keeps a `FleetView` while somebody looks: the first question begins it, each change of a node
 * updates it within seconds, and it is dropped when nobody asked for ten minutes. Without
 * questions it costs nothing.
 */
export class FleetWatch {
  readonly #ports: FleetPorts;
  readonly #options: WatchOptions;
  #view = new FleetView();
  /** When the view was as the stores; null while it is read for the first time. */
  #asOf: number | null = null;
  #lastQuestion = 0;
  #running: Promise<void> | null = null;
  readonly #stopping = new AbortController();
  #readAt = 0;
  #deploys: ReadonlyMap<string, string> | null = null;
  #requests: number | null = null;

  constructor(ports: FleetPorts, options: WatchOptions) {
    this.#ports = ports;
    this.#options = options;
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
      await clock.sleep(isDone ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS, signal);
    }
    await this.#options.changes?.forget(CONSOLE_CONSUMER).catch(() => {});
    this.#view = new FleetView();
    this.#asOf = null;
    this.#running = null;
  }

  /** Brings the view to the present. */
  async step(): Promise<void> {
    const { clock, nodes } = this.#ports;
    const now = clock.now();
    const { changes } = this.#options;
    if (changes === null) {
      if (this.#asOf === null || now - this.#readAt >= REREAD_MS) await this.#readAll();
    } else {
      await this.#follow(changes);
    }
    const stale = await nodes.listOutstandingNames(MOST_STALE);
    for (const certname of this.#view.noteStale(new Set(stale))) this.#tellNode(certname);
    await this.#tellDeploys();
    await this.#tellRequests();
    this.#asOf = now;
  }

  async #follow(changes: NodeChangeLog): Promise<void> {
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
      if (kind === 'removed') {
        this.#view.remove(certname);
        this.#options.tell({ kind: 'node', certname, state: null });
      } else if (kind === 'report') {
        const { status, noop, transactionUuid, receivedAt } = readReportSummary(change.document);
        this.#view.noteRun(certname, status, receivedAt);
        this.#options.tell({ kind: 'report', certname, status, noop, transactionUuid });
        this.#tellNode(certname);
      } else if (!read.has(certname)) {
        read.add(certname);
        const record = await this.#ports.nodes.get(certname);
        if (record !== null) this.#view.put(summarizeNode(record));
        this.#tellNode(certname);
      }
    }
  }

  async #tellDeploys(): Promise<void> {
    const records = await this.#ports.environments.list();
    const present = new Map(records.map((one) => [one.name, `${revisionToken(one)} ${one.settled >= one.revision}`]));
    for (const { name: environment, codeId, by, settled, revision } of records) {
      if (this.#deploys === null || this.#deploys.get(environment) === present.get(environment)) continue;
      this.#options.tell({ kind: 'deploy', environment, codeId, by, isSettled: settled >= revision });
    }
    this.#deploys = present;
  }

  async #tellRequests(): Promise<void> {
    const waiting = await this.#ports.documents.countKeys(REQUESTS, MOST_REQUESTS);
    if (this.#requests !== null && this.#requests !== waiting) {
      this.#options.tell({ kind: 'certificate-requests', waiting });
    }
    this.#requests = waiting;
  }

  /** The certificate requests that wait; null before the first look. */
  get waitingRequests(): number | null {
    return this.#requests;
  }

  #tellNode(certname: string): void {
    const node = this.#view.get(certname);
    if (node === null) return;
    this.#options.tell({ kind: 'node', certname, state: fleetState(node, this.#ports.clock.now()) });
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
