import type { NodeMarks, NodeSummary } from '../../store/ports/node-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import {
  findUnchangedRuns,
  listReports,
  MOST_REPORTS,
  REPORT_STATUSES,
  type ReportSummary,
} from '../reports/node-reports.ts';
import { SILENT_MS } from './fleet-states.ts';
import type { FleetView } from './fleet-view.ts';

type PolledPorts = Pick<Stores, 'nodes' | 'documents' | 'blobs'>;

/** Nodes and reports that one turn read from the stores. */
interface PolledTurn {
  readonly nodes: readonly NodeSummary[];
  /** Nodes that are gone. */
  readonly removed: readonly string[];
  readonly reports: readonly ReportSummary[];
  /** When nodes that seemed to be silent ran last without a change, by certname. */
  readonly runs: ReadonlyMap<string, number>;
}

/** Overlap of turns, for the clocks of other processes and the delay of the indexes. */
const OVERLAP_MS = 60_000;
/** Nodes that one turn reads of an index; the next turn goes on behind them. */
const MOST_MARKS = 4000;
/** Interval of looking for reports, and for nodes that are in no index. */
const SLOW_MS = 15_000;
/** Reports of a status that are expected in that time: of more, all are read. */
const USUAL_REPORTS = 32;
/** A node is looked at this long before it counts as silent. */
const EARLY_MS = 5 * 60_000;
/** Pause before another look at a node that stays silent or stale; it doubles up to `most`. */
const AGAIN_MS = { least: 5 * 60_000, most: 3600_000 } as const;
/** Such nodes, and nodes with a failed run, that are looked at in one slow turn. */
const MOST_SUSPECTS = 1000;
const MOST_FAILED = 20;
const READS_AT_ONCE = 16;

/** When a node is looked at next, and how long after the last look that is. */
interface Look {
  readonly at: number;
  readonly pause: number;
}

/**
 * Follows the nodes where there is no log of their changes: two indexes by time list the nodes that
 * were compiled, verified or made stale, and one of reports lists those that ran. Its reads follow
 * from these changes, not from the number of nodes. Check-ins that change nothing are in no index:
 * a node is looked at when it would count as silent, at most about once for each of its check-ins.
 */
export class PolledNodes {
  readonly #ports: PolledPorts;
  readonly #marks = { ring: new Marks(), outstanding: new Marks() };
  #reportsSince = 0;
  #seenReports: ReadonlySet<string> = new Set();
  #slowAt = 0;
  readonly #looks = new Map<string, Look>();
  /** The node with a failed run that was looked at last. */
  #failedAfter = '';

  constructor(ports: PolledPorts) {
    this.#ports = ports;
  }

  /** Begins with a view that was read at this time. */
  async begin(at: number): Promise<void> {
    for (const marks of Object.values(this.#marks)) marks.begin(at - OVERLAP_MS);
    this.#reportsSince = at - OVERLAP_MS;
    this.#seenReports = new Set();
    this.#slowAt = at;
    this.#looks.clear();
    // The view knows these runs.
    await this.#readReports(at);
  }

  /** Reads the changes since the last turn, and nodes that the view may have wrong. */
  async read(view: FleetView, now: number): Promise<PolledTurn> {
    const moved = await Promise.all((['ring', 'outstanding'] as const).map((index) => this.#readMoved(index, now)));
    const isSlow = now - this.#slowAt >= SLOW_MS;
    const suspects = isSlow ? this.#takeSuspects(view, now) : [];
    const names = [...new Set([...moved.flat(), ...suspects])];
    const nodes = names.length === 0 ? [] : await this.#ports.nodes.getSummaries(names);
    const present = new Set(nodes.map(({ certname }) => certname));
    const removed = names.filter((certname) => !present.has(certname));
    if (!isSlow) return { nodes, removed, reports: [], runs: new Map() };
    const reports = [...(await this.#readReports(now)), ...(await this.#readFailed(view))];
    this.#slowAt = now;
    return { nodes, removed, reports, runs: await this.#readRuns(suspects.filter((name) => present.has(name))) };
  }

  async #readMoved(index: 'ring' | 'outstanding', now: number): Promise<readonly string[]> {
    const marks = this.#marks[index];
    const found = await this.#ports.nodes.listMarks(index, marks.since, MOST_MARKS);
    return marks.take(found, now - OVERLAP_MS);
  }

  /** Nodes that seem to be silent, or were stale for long, and are due for a look. */
  #takeSuspects(view: FleetView, now: number): readonly string[] {
    const due: string[] = [];
    for (const { certname, lastSeen, isStale } of view.nodes()) {
      const isQuiet = now - lastSeen > SILENT_MS - EARLY_MS;
      const look = this.#looks.get(certname);
      if (!isQuiet && !isStale) {
        if (look !== undefined) this.#looks.delete(certname);
      } else if (look === undefined && !isQuiet) {
        this.#looks.set(certname, { at: now + AGAIN_MS.least, pause: AGAIN_MS.least });
      } else if (due.length < MOST_SUSPECTS && (look?.at ?? now) <= now) {
        const pause = look === undefined ? AGAIN_MS.least : Math.min(2 * look.pause, AGAIN_MS.most);
        this.#looks.set(certname, { at: now + pause, pause });
        due.push(certname);
      }
    }
    return due;
  }

  async #readRuns(certnames: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const read = await inParallel(READS_AT_ONCE, certnames, async (certname) => {
      const runs = await findUnchangedRuns(this.#ports, certname);
      return [certname, runs?.last.receivedAt ?? 0] as const;
    });
    return new Map(read);
  }

  /** Reports that are in the index by time: all but those of runs that changed nothing. */
  async #readReports(now: number): Promise<readonly ReportSummary[]> {
    const since = this.#reportsSince;
    const read = async (status: string) => {
      const some = await listReports(this.#ports, { status, since, limit: USUAL_REPORTS });
      return some.length < USUAL_REPORTS ? some : listReports(this.#ports, { status, since, limit: MOST_REPORTS });
    };
    const found = (await Promise.all(REPORT_STATUSES.map(read))).flat();
    const unseen = found.filter((one) => !this.#seenReports.has(nameOf(one)));
    this.#seenReports = new Set(found.map(nameOf));
    this.#reportsSince = now - OVERLAP_MS;
    return unseen.toSorted((a, b) => a.receivedAt - b.receivedAt);
  }

  /** The newer runs of some nodes whose last known one failed, in turns. */
  async #readFailed(view: FleetView): Promise<readonly ReportSummary[]> {
    const failed = [...view.nodes()].filter(({ runStatus }) => runStatus === 'failed').map(({ certname }) => certname);
    const next = failed.filter((certname) => certname > this.#failedAfter).slice(0, MOST_FAILED);
    this.#failedAfter = next.length < MOST_FAILED ? '' : (next.at(-1) ?? '');
    const reports: ReportSummary[] = [];
    for (const certname of next) {
      const [last] = await listReports(this.#ports, { certname, limit: 1 });
      if (last !== undefined && last.status !== 'failed') reports.push(last);
    }
    return reports;
  }
}

function nameOf({ certname, receivedAt, transactionUuid }: ReportSummary): string {
  return `${receivedAt} ${certname} ${transactionUuid}`;
}

/** Position in an index, and the marks at it that a turn reads again. */
class Marks {
  #since = 0;
  #seen: ReadonlyMap<string, number> = new Map();

  get since(): number {
    return this.#since;
  }

  begin(since: number): void {
    this.#since = since;
    this.#seen = new Map();
  }

  /**
   * The nodes whose marks are new. The next turn begins at `next`, or with the last mark if there
   * are more.
   */
  take({ marks, hasMore }: NodeMarks, next: number): readonly string[] {
    const moved = marks.filter(({ certname, at }) => this.#seen.get(certname) !== at);
    this.#seen = new Map(marks.map(({ certname, at }) => [certname, at]));
    const last = marks.at(-1)?.at ?? this.#since;
    // Marks of one time alone would be read for ever.
    const behind = last > this.#since ? last : last + 1;
    this.#since = Math.max(this.#since, hasMore ? behind : next);
    return moved.map(({ certname }) => certname);
  }
}
