/** An event of the fleet, as the console's pages receive it. */
export type FleetEvent =
  /** The state of a node changed; null: the node was deleted. */
  | { readonly kind: 'node'; readonly certname: string; readonly state: string | null }
  | {
      readonly kind: 'report';
      readonly certname: string;
      readonly status: string;
      readonly noop: boolean;
      readonly transactionUuid: string | null;
    }
  /** An environment got other code; `isSettled`: all affected nodes are invalidated. */
  | {
      readonly kind: 'deploy';
      readonly environment: string;
      readonly codeId: string;
      readonly by: string;
      readonly isSettled: boolean;
    }
  /** The number of pending certificate requests. */
  | { readonly kind: 'certificate-requests'; readonly waiting: number }
  /** A job of this process began or ended, or its counts of nodes by state changed. */
  | {
      readonly kind: 'job';
      readonly id: string;
      readonly state: string;
      readonly command: string;
      readonly environment: string | null;
      readonly nodeStates: Readonly<Record<string, number>>;
    }
  /** The states of a job's nodes changed. */
  | {
      readonly kind: 'job-nodes';
      readonly id: string;
      readonly nodes: readonly { readonly certname: string; readonly state: string }[];
    }
  /** Events were lost: the page reads its data again. */
  | { readonly kind: 'reset' };

export interface NumberedEvent {
  readonly id: number;
  readonly at: number;
  readonly event: FleetEvent;
}

/** Number of events kept for pages that reconnect. */
const MOST_KEPT = 2000;
/** Maximum streams at a time; each holds a connection but buffers no events. */
const MOST_STREAMS = 200;

/** The last events in the order of their numbers, and the listeners to new ones. */
export class FleetEvents {
  readonly #kept: NumberedEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #streams = 0;
  #next: number;

  /** `first`: the number of the first event, above all numbers of an earlier process. */
  constructor(first: number) {
    this.#next = first;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#next - 1;
  }

  add(event: FleetEvent, at: number): void {
    this.#kept.push({ id: this.#next, at, event });
    this.#next += 1;
    if (this.#kept.length > MOST_KEPT) this.#kept.splice(0, this.#kept.length - MOST_KEPT);
    this.wakeAll();
  }

  /** Returns the events after `id`; null when some are gone, or `id` is not in use yet. */
  after(id: number): readonly NumberedEvent[] | null {
    const first = this.#kept[0]?.id ?? this.#next;
    if (id < first - 1 || id > this.last) return null;
    return this.#kept.slice(id + 1 - first);
  }

  /** Counts a stream in; false when there are too many. End each counted stream with `leave`. */
  enter(): boolean {
    if (this.#streams >= MOST_STREAMS) return false;
    this.#streams += 1;
    return true;
  }

  leave(): void {
    this.#streams -= 1;
  }

  /** Wakes all listeners, as an event does. */
  wakeAll(): void {
    for (const wake of this.#listeners) wake();
  }

  /** Calls `wake` after each event until the returned function is called. */
  listen(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }
}
