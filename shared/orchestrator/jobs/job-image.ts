import type { JobRecord, JobState, NodeRunState } from '../../store/ports/job-records.ts';
import type { Ledger, StopRequest } from '../../store/ports/job-store.ts';
import { makeTransactionId } from '../pxp/transaction-id.ts';
import type { JobTargets } from './job-order.ts';
import type { RunningNode } from './node-progress.ts';

/** States in which nothing happens to a node any more. */
export const ENDED: readonly NodeRunState[] = ['finished', 'failed', 'errored', 'skipped'];

/** A job in the memory of its only writer: the states of its nodes, and which may start next. */
export class JobImage {
  readonly number: number;
  version: number;
  body: JobRecord;
  stop: StopRequest | null;
  readonly running = new Map<number, RunningNode>();
  readonly #targets: JobTargets;
  readonly #states: NodeRunState[];
  readonly #counts = new Map<NodeRunState, number>();
  /** Closed barriers that each node waits for. */
  readonly #waits: number[];
  /** Nodes that have to finish before each barrier opens; negative: it never will. */
  readonly #closed: number[];
  readonly #barriersBehind = new Map<number, number[]>();
  #ready: number[];
  #readyAt = 0;
  /** Nodes that will not start, and why; some may have been skipped already. */
  #doomed: { readonly index: number; readonly reason: string }[] = [];
  #isDoomed = false;

  constructor({ number, version, body, stop }: Ledger<JobRecord>, targets: JobTargets) {
    this.number = number;
    this.version = version;
    this.body = body;
    this.stop = stop;
    this.#targets = targets;
    this.#states = targets.names.map(() => 'new');
    this.#counts.set('new', targets.names.length);
    this.#waits = targets.names.map(() => 0);
    this.#closed = (targets.barriers ?? []).map(({ before }) => before.length);
    for (const [barrier, { before, after }] of (targets.barriers ?? []).entries()) {
      for (const index of after) this.#waits[index] = (this.#waits[index] ?? 0) + 1;
      for (const index of before) {
        const behind = this.#barriersBehind.get(index);
        if (behind === undefined) this.#barriersBehind.set(index, [barrier]);
        else behind.push(barrier);
      }
    }
    this.#ready = targets.names.flatMap((_, index) => (this.#waits[index] === 0 ? [index] : []));
  }

  get names(): readonly string[] {
    return this.#targets.names;
  }

  nameOf(index: number): string {
    return this.#targets.names[index] ?? '';
  }

  /** The id of a request: a repeated one has the same. */
  makeTransactionId(name: string, attempt: number): string {
    // The time distinguishes jobs of the same number, when a data directory was begun anew.
    return makeTransactionId('job', this.number, this.body.createdAt, name, attempt);
  }

  stateOf(index: number): NodeRunState {
    return this.#states[index] ?? 'new';
  }

  /** Only states that a node is in. */
  countStates(): Readonly<Partial<Record<NodeRunState, number>>> {
    return Object.fromEntries([...this.#counts].filter(([, count]) => count > 0));
  }

  count(state: NodeRunState): number {
    return this.#counts.get(state) ?? 0;
  }

  get hasEnded(): boolean {
    return ENDED.reduce((sum, state) => sum + this.count(state), 0) === this.names.length;
  }

  get state(): JobState {
    return this.body.stays.at(-1)?.state ?? 'new';
  }

  setState(index: number, state: NodeRunState): void {
    const before = this.stateOf(index);
    this.#counts.set(before, this.count(before) - 1);
    this.#counts.set(state, this.count(state) + 1);
    this.#states[index] = state;
    if (!ENDED.includes(state)) return;
    for (const barrier of this.#barriersBehind.get(index) ?? []) {
      if (state === 'finished') this.#open(barrier);
      else this.#shut(barrier, `it depends on ${this.nameOf(index)}`);
    }
  }

  /** One of the nodes before a barrier has finished. */
  #open(barrier: number): void {
    const closed = (this.#closed[barrier] ?? 0) - 1;
    this.#closed[barrier] = closed;
    if (closed !== 0) return;
    for (const index of this.#targets.barriers?.[barrier]?.after ?? []) {
      const waits = (this.#waits[index] ?? 0) - 1;
      this.#waits[index] = waits;
      if (waits === 0) this.#ready.push(index);
    }
  }

  /** One of the nodes before a barrier will not finish. */
  #shut(barrier: number, reason: string): void {
    if ((this.#closed[barrier] ?? 0) < 0) return;
    this.#closed[barrier] = Number.NEGATIVE_INFINITY;
    for (const index of this.#targets.barriers?.[barrier]?.after ?? []) this.#doomed.push({ index, reason });
  }

  /** Enters a state of the job. */
  enter(state: JobState, now: number): void {
    const stays = this.body.stays.map((stay) => (stay.leftAt === null ? { ...stay, leftAt: now } : stay));
    this.body = { ...this.body, stays: [...stays, { state, enteredAt: now, leftAt: null }] };
  }

  /** The next node that may start; null for none. */
  takeReady(): number | null {
    while (this.#readyAt < this.#ready.length) {
      const index = this.#ready[this.#readyAt];
      this.#readyAt += 1;
      if (index !== undefined && this.stateOf(index) === 'new') return index;
    }
    return null;
  }

  /** No node starts any more. */
  doomAll(reason: string): void {
    if (this.#isDoomed) return;
    this.#isDoomed = true;
    this.#readyAt = this.#ready.length;
    this.#doomed = this.names.flatMap((_, index) => (this.stateOf(index) === 'new' ? [{ index, reason }] : []));
  }

  /** A node that will not start. */
  doom(index: number, reason: string): void {
    this.#doomed.push({ index, reason });
  }

  get hasDoomed(): boolean {
    return this.#doomed.length > 0;
  }

  /** Nodes that were asked. */
  get startedCount(): number {
    return this.names.length - this.count('new') - this.count('skipped');
  }

  /** The next node to skip; null for none. */
  takeDoomed(): { readonly index: number; readonly reason: string } | null {
    while (this.#doomed.length > 0) {
      const doomed = this.#doomed.pop();
      if (doomed !== undefined && this.stateOf(doomed.index) === 'new') return doomed;
    }
    return null;
  }
}
