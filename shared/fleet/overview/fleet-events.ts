/** An event as pages get it. */
export type FleetEvent =
  /** A node has another state; null: it is gone. */
  | { readonly kind: 'node'; readonly certname: string; readonly state: string | null }
  | {
      readonly kind: 'report';
      readonly certname: string;
      readonly status: string;
      readonly noop: boolean;
      readonly transactionUuid: string | null;
    }
  /** Code was switched, or all its nodes are invalidated. */
  | {
      readonly kind: 'deploy';
      readonly environment: string;
      readonly codeId: string;
      readonly by: string;
      readonly isSettled: boolean;
    }
  /** The number of certificate requests that wait. */
  | { readonly kind: 'certificate-requests'; readonly waiting: number }
  /** A job of this process began, ended, or has other numbers of nodes in each state. */
  | {
      readonly kind: 'job';
      readonly id: string;
      readonly state: string;
      readonly command: string;
      readonly environment: string | null;
      readonly nodeStates: Readonly<Record<string, number>>;
    }
  /** Nodes of a job have other states. */
  | {
      readonly kind: 'job-nodes';
      readonly id: string;
      readonly nodes: readonly { readonly certname: string; readonly state: string }[];
    }
  /** Events were lost: read again what is shown. */
  | { readonly kind: 'reset' };

export interface NumberedEvent {
  readonly id: number;
  readonly at: number;
  readonly event: FleetEvent;
}

/** Events that a page which was away for a moment can still get. */
const MOST_KEPT = 2000;
/** Streams at a time; each holds a connection, and no events of its own. */
const MOST_STREAMS = 200;

/** The last events, in the order of their numbers, and who wants to know of new ones. */
export class FleetEvents {
  readonly #kept: NumberedEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #streams = 0;
  #next: number;

  /** Numbers begin with `first`, so that those of an earlier process are lower. */
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

  /** The events after a number; null when some of them are not kept, or it is of no known event. */
  after(id: number): readonly NumberedEvent[] | null {
    const first = this.#kept[0]?.id ?? this.#next;
    if (id < first - 1 || id > this.last) return null;
    return this.#kept.slice(id + 1 - first);
  }

  /** Takes a place for a stream; false when there is none. Give it back with `leave`. */
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
