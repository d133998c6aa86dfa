import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { inParallel } from '../../util/in-parallel.ts';

/** A node that was seen, as its record was read. */
type SeenNode = Pick<NodeRecord, 'certname' | 'environment' | 'lastSeen'>;

/** Writes when nodes were seen that got a current catalog. */
export interface Visits {
  /** Notes that a node was seen. */
  note(node: SeenNode, at: number): Promise<void>;
  /** Notes that the report of a node came. */
  noteReport(certname: string): void;
  /** Writes what waits; called once a minute. */
  flush(): Promise<void>;
}

type VisitPorts = Pick<Stores, 'nodes' | 'clock'>;

/** A record that is younger than this is not written again. */
const SEEN_MS = 5 * 60_000;
/** Time in which the report of a run comes. */
const REPORT_MS = 10 * 60_000;
/** Visits whose reports are awaited; of more, the oldest are written. */
const MOST_AWAITED = 100_000;
const WRITES_AT_ONCE = 8;

/** Writes each visit that is due at once, where a write costs next to nothing. */
export class PromptVisits implements Visits {
  readonly #nodes: VisitPorts['nodes'];

  constructor({ nodes }: VisitPorts) {
    this.#nodes = nodes;
  }

  async note({ certname, environment, lastSeen }: SeenNode, at: number): Promise<void> {
    if (at - lastSeen >= SEEN_MS) await this.#nodes.markSeen(certname, environment, at);
  }

  noteReport(): void {}

  async flush(): Promise<void> {}
}

/**
 * Writes a visit only if no report of its run comes, and else once a day, where each write of a
 * node's record is billed. A report is a later sign of life, and is written anyway. An agent sends
 * it over the connection of its catalog, and so to the same process.
 */
export class ReportedVisits implements Visits {
  readonly #ports: VisitPorts;
  readonly #most: number;
  /** By certname, the oldest first. */
  readonly #awaited = new Map<string, { readonly environment: string; readonly at: number }>();

  constructor(ports: VisitPorts, most = MOST_AWAITED) {
    this.#ports = ports;
    this.#most = most;
  }

  async note({ certname, environment, lastSeen }: SeenNode, at: number): Promise<void> {
    this.#awaited.delete(certname);
    if (at - lastSeen >= DAY_MS) {
      await this.#ports.nodes.markSeen(certname, environment, at);
      return;
    }
    if (at - lastSeen < SEEN_MS) return;
    this.#awaited.set(certname, { environment, at });
    if (this.#awaited.size > this.#most) await this.#write([...this.#awaited.keys()].slice(0, 1));
  }

  noteReport(certname: string): void {
    this.#awaited.delete(certname);
  }

  async flush(): Promise<void> {
    const before = this.#ports.clock.now() - REPORT_MS;
    const due: string[] = [];
    for (const [certname, { at }] of this.#awaited) {
      if (at > before) break;
      due.push(certname);
    }
    await this.#write(due);
  }

  async #write(certnames: readonly string[]): Promise<void> {
    await inParallel(WRITES_AT_ONCE, certnames, async (certname) => {
      const visit = this.#awaited.get(certname);
      if (visit === undefined) return;
      await this.#ports.nodes.markSeen(certname, visit.environment, visit.at);
      // A later visit may have come meanwhile.
      if (this.#awaited.get(certname) === visit) this.#awaited.delete(certname);
    });
  }
}
