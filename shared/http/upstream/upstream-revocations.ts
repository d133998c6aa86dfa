import { crlsInPem } from '../../access/ca/crl.ts';
import { normalize } from '../../access/ca/revocation-list.ts';
import { type StoredUpstreamLists, UpstreamListStore, type UpstreamLists } from '../../access/ca/upstream-lists.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { RequestLog } from '../services.ts';
import type { UpstreamAuthority } from './upstream-authority.ts';

interface Lists extends UpstreamLists {
  readonly byIssuer: ReadonlyMap<string, { readonly serials: ReadonlySet<string>; readonly endsAt: number }>;
}

const CHECK_MS = 60_000;
/** Older unconfirmed lists are logged, and make the CA's health an error. */
const STALE_MS = 15 * 60_000;

/**
 * Revocation lists of an upstream CA. They are checked once a minute while requests arrive; `poll`
 * checks them without requests. The store keeps them: while the CA is unavailable its last lists
 * stay in force until they expire. A certificate of a CA without a list counts as revoked.
 */
export class UpstreamRevocations {
  readonly #upstream: UpstreamAuthority;
  readonly #store: UpstreamListStore;
  readonly #clock: Clock;
  readonly #log: RequestLog;
  #lists: Lists | null = null;
  /** The lists last read from or written to the store. */
  #kept: StoredUpstreamLists | null = null;
  /** The last result of `readStored`. */
  #stored: string | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(upstream: UpstreamAuthority, documents: DocumentStore, clock: Clock, log: RequestLog) {
    this.#upstream = upstream;
    this.#store = new UpstreamListStore(documents);
    this.#clock = clock;
    this.#log = log;
  }

  /** Throws a Refusal (503) until lists were first fetched. */
  async isRevoked(issuer: string, serial: string): Promise<boolean> {
    const lists = await this.#getCurrent();
    const list = lists.byIssuer.get(issuer);
    return list === undefined || list.endsAt < this.#clock.now() || list.serials.has(normalize(serial));
  }

  /**
   * The lists as some front door last stored them, PEM; null without any. They are read once a
   * minute, as they are fetched.
   */
  async readStored(): Promise<string | null> {
    if (this.#clock.now() - this.#readAt >= CHECK_MS) {
      this.#stored = (await this.#store.read())?.pem ?? null;
      this.#readAt = this.#stored === null ? Number.NEGATIVE_INFINITY : this.#clock.now();
    }
    return this.#stored;
  }

  /** Throws when the lists have been unconfirmed for too long. */
  async check(): Promise<void> {
    const { checkedAt } = await this.#getCurrent();
    const age = this.#clock.now() - checkedAt;
    if (age > STALE_MS) throw new Error(`the revocation lists are ${Math.round(age / 60_000)} minutes old`);
  }

  /**
   * Checks the lists once a minute until `signal` aborts, so that a revocation also applies to the
   * first request after an idle hour. `reportAge` gets the time since the last confirmation in
   * milliseconds; without lists, since the start of the poll.
   */
  async poll(signal: AbortSignal, reportAge: (ageMs: number) => void): Promise<void> {
    const startedAt = this.#clock.now();
    while (!signal.aborted) {
      if (this.#clock.now() - this.#triedAt >= CHECK_MS) {
        await this.#lookOnce().catch((error: unknown) => this.#reportFault(error));
      }
      reportAge(this.#clock.now() - (this.#lists?.checkedAt ?? startedAt));
      await this.#clock.sleep(CHECK_MS, signal);
    }
  }

  /** Concurrent callers share one check. */
  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #getCurrent(): Promise<Lists> {
    this.#lists ??= await this.#readStored();
    if (this.#clock.now() - this.#triedAt >= CHECK_MS) {
      const looking = this.#lookOnce();
      const isStale = this.#lists === null || this.#clock.now() - this.#lists.checkedAt > 5 * CHECK_MS;
      // Recent lists are used while newer ones are fetched.
      if (isStale) await looking.catch((error: unknown) => this.#reportFault(error));
      else looking.catch((error: unknown) => this.#reportFault(error));
    }
    if (this.#lists === null) await this.#look();
    if (this.#lists === null) throw new Error('invariant: lists were fetched, and are not there');
    return this.#lists;
  }

  async #look(): Promise<void> {
    const now = this.#clock.now();
    this.#triedAt = now;
    this.#lists ??= await this.#readStored();
    const fetched = await this.#upstream.fetchLists(this.#lists?.modified ?? null);
    if (fetched === null && this.#lists !== null) this.#lists = { ...this.#lists, checkedAt: now };
    if (fetched !== null) this.#lists = parseLists({ ...fetched, checkedAt: now });
    if (this.#lists === null) return;
    const { pem, modified, checkedAt } = this.#lists;
    this.#kept = await this.#store.write({ pem, modified, checkedAt }, this.#kept);
    if (this.#kept.pem !== pem) this.#lists = parseLists(this.#kept);
  }

  async #readStored(): Promise<Lists | null> {
    this.#kept = await this.#store.read();
    return this.#kept && parseLists(this.#kept);
  }

  /** Logs at most once per quarter of an hour: an alarm counts these lines. */
  #reportFault(error: unknown): void {
    const now = this.#clock.now();
    if (this.#lists === null || now - this.#lists.checkedAt < STALE_MS || now - this.#loggedAt < STALE_MS) return;
    this.#loggedAt = now;
    this.#log.logError('The revocation lists of the upstream certificate authority are stale', error);
  }
}

function parseLists({ pem, modified, checkedAt }: UpstreamLists): Lists {
  const byIssuer = new Map(
    crlsInPem(pem).map(({ issuer, entries, nextUpdate }) => {
      const serials = new Set(entries.map(({ serial }) => normalize(serial)));
      return [issuer, { serials, endsAt: nextUpdate?.getTime() ?? Number.POSITIVE_INFINITY }] as const;
    }),
  );
  return { pem, modified, checkedAt, byIssuer };
}
