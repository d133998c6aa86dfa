import type { LedgerEvent, NodeRun } from '../../store/ports/job-records.ts';

/** Bounds of one commit; far below those of the store. */
const MOST_NODES = 90;
const MOST_BYTES = 200 * 1024;
/** A node's result is shown in its event unless it is larger. */
const MOST_DETAIL_BYTES = 1024;

type DraftEvent = Omit<LedgerEvent, 'id'> & { readonly node: string | null };

/** Changes of one step of a job, before it is committed. */
export class JobDraft {
  readonly now: number;
  readonly #nodes = new Map<string, NodeRun>();
  readonly #events: DraftEvent[] = [];
  #bytes = 0;
  /** The job itself changed, or its lease is to be renewed. */
  isTouched = false;

  constructor(now: number) {
    this.now = now;
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0 && this.#events.length === 0 && !this.isTouched;
  }

  /** Whether one more node may change. */
  get hasRoom(): boolean {
    return this.#nodes.size < MOST_NODES && this.#events.length < MOST_NODES && this.#bytes < MOST_BYTES;
  }

  get events(): readonly DraftEvent[] {
    return this.#events;
  }

  putNode(run: NodeRun): void {
    this.#nodes.set(run.name, run);
    this.#bytes += JSON.stringify(run).length;
  }

  addNodeEvent(type: string, name: string, message: string, detail: Readonly<Record<string, unknown>>): void {
    const shown = JSON.stringify(detail).length <= MOST_DETAIL_BYTES ? detail : {};
    this.#events.push({ type, at: this.now, details: { node: name, detail: shown }, message, node: name });
  }

  addJobEvent(type: string, job: number, state: string, message: string): void {
    this.#events.push({ type, at: this.now, details: { job: String(job), state }, message, node: null });
  }

  /** Gives the events their ids, and the nodes their latest ones. */
  finish(firstId: number): { readonly nodes: readonly NodeRun[]; readonly events: readonly LedgerEvent[] } {
    const latest = new Map<string, number>();
    const events = this.#events.map(({ node, ...event }, index) => {
      if (node !== null) latest.set(node, firstId + index);
      return { id: firstId + index, ...event };
    });
    const nodes = [...this.#nodes.values()].map((run) => ({
      ...run,
      latestEvent: latest.get(run.name) ?? run.latestEvent,
    }));
    return { nodes, events };
  }
}
