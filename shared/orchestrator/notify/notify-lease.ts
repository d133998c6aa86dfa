import { NOTIFYING } from '../../store/keep-leading.ts';
import type { Stores } from '../../store/ports/stores.ts';

const { collection: COLLECTION, key: KEY } = NOTIFYING;
/** Silence of the notifier after which another process takes over. */
const LEASE_MS = 15_000;
const RENEW_MS = 5000;

/** The right to notify nodes: one process of those that share a store has it. */
export class NotifyLease {
  readonly #stores: Pick<Stores, 'documents' | 'clock'>;
  readonly #owner: string;
  /** The document as this process wrote it; null when another one has the lease. */
  #own: { readonly owner: string; readonly until: number } | null = null;

  /** `owner` is unique among processes. */
  constructor(stores: Pick<Stores, 'documents' | 'clock'>, owner: string) {
    this.#stores = stores;
    this.#owner = owner;
  }

  /** Takes or renews the lease; whether this process has it. `new`: it had it not before. */
  async hold(): Promise<'new' | 'held' | 'elsewhere'> {
    const { documents, clock } = this.#stores;
    const now = clock.now();
    if (this.#own !== null && this.#own.until - LEASE_MS + RENEW_MS > now) return 'held';
    const before = this.#own ?? (await documents.get(COLLECTION, KEY));
    if (this.#own === null && before !== null && Number(before.until) > now) return 'elsewhere';
    const next = { owner: this.#owner, until: now + LEASE_MS };
    const isDone =
      before === null
        ? await documents.create(COLLECTION, KEY, next)
        : await documents.replace(COLLECTION, KEY, { ...before }, next);
    const isNew = this.#own === null || this.#own.until <= now;
    this.#own = isDone ? next : null;
    if (!isDone) return 'elsewhere';
    return isNew ? 'new' : 'held';
  }

  /** Gives the lease back, so that another process need not wait for its end. */
  async release(): Promise<void> {
    if (this.#own !== null) await this.#stores.documents.remove(COLLECTION, KEY, { ...this.#own });
    this.#own = null;
  }
}
