import type { Session } from './session.ts';

/** A connection came (1) or went (-1). */
interface InventoryChange {
  readonly client: string;
  readonly change: 1 | -1;
}

/** A change with its time, in milliseconds since the epoch. */
export interface TimedChange extends InventoryChange {
  readonly at: number;
}

/** Changes in one message; a message of all changes of a large site would be too long. */
const CHANGES_IN_ONE_UPDATE = 2000;
/** Changes kept for one subscriber that cannot get them yet; the oldest are dropped beyond it. */
const MOST_PENDING = 200_000;

interface Subscription {
  /** Earlier changes are in the answer to the request. */
  readonly since: number;
  readonly matches: (uri: string) => boolean;
  /** Whether the answer to the request was sent: no update comes before it. */
  isAnswered: boolean;
  pending: InventoryChange[];
}

/** Subscriptions to inventory changes. A subscription ends with its connection. */
export class Subscriptions {
  readonly #bySession = new Map<Session, Subscription>();

  get size(): number {
    return this.#bySession.size;
  }

  add(session: Session, matches: (uri: string) => boolean, since: number): void {
    this.#bySession.set(session, { since, matches, isAnswered: false, pending: [] });
  }

  remove(session: Session): void {
    this.#bySession.delete(session);
  }

  noteAnswer(session: Session): void {
    const subscription = this.#bySession.get(session);
    if (subscription) subscription.isAnswered = true;
  }

  noteChange({ at, ...change }: TimedChange): void {
    for (const { since, matches, pending } of this.#bySession.values()) {
      if (at < since || !matches(change.client)) continue;
      if (pending.push(change) > MOST_PENDING) pending.shift();
    }
  }

  /** Takes the updates that are due: one or more for each subscriber with changes, in order. */
  takeUpdates(): readonly { readonly session: Session; readonly changes: readonly InventoryChange[] }[] {
    return [...this.#bySession].flatMap(([session, subscription]) => {
      const { pending, isAnswered } = subscription;
      if (!isAnswered || pending.length === 0) return [];
      subscription.pending = [];
      const starts = Array.from({ length: Math.ceil(pending.length / CHANGES_IN_ONE_UPDATE) }, (_, index) => index);
      return starts.map((index) => {
        const start = index * CHANGES_IN_ONE_UPDATE;
        return { session, changes: pending.slice(start, start + CHANGES_IN_ONE_UPDATE) };
      });
    });
  }
}
